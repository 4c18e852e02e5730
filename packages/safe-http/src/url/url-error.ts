import { ToolError } from '@toolwright/core';
import type { ToolErrorType } from '@toolwright/core';
import type { ParsedRequestUrl, UrlRefusal } from './parse-request-url.ts';

const WIRE: Readonly<Record<UrlRefusal, readonly [type: ToolErrorType, reason: string]>> = {
  invalid_url: ['invalid_argument', 'bad_url'],
  userinfo: ['invalid_argument', 'userinfo'],
  scheme: ['permission_denied', 'address_refused'],
  port: ['permission_denied', 'address_refused'],
  local_name: ['permission_denied', 'address_refused'],
};

/**
 * The typed form of a refused URL; `hop` names the redirect that gave it (`Redirect 2`): a target that is no URL breaks the
 * protocol there, where the caller's own is an invalid argument.
 */
export function toUrlError(
  parsed: ParsedRequestUrl & { readonly ok: false },
  hop?: string,
): ToolError {
  if (hop === undefined) {
    const [type, reason] = WIRE[parsed.refusal];
    return new ToolError(type, parsed.message, { reason });
  }
  const [type, reason]: (typeof WIRE)[UrlRefusal] =
    parsed.refusal === 'invalid_url' ? ['transport', 'protocol'] : WIRE[parsed.refusal];
  return new ToolError(type, `${hop}: ${parsed.message}`, { reason });
}
