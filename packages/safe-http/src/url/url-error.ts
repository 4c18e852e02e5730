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

/** The typed form of a refused URL; `subject` says which URL it was (`Redirect 2`). */
export function toUrlError(
  parsed: ParsedRequestUrl & { readonly ok: false },
  subject?: string,
): ToolError {
  const [type, reason] = WIRE[parsed.refusal];
  return new ToolError(
    type,
    subject === undefined ? parsed.message : `${subject}: ${parsed.message}`,
    { reason },
  );
}
