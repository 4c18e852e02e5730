import { ToolError } from '@toolwright/core';
import { toCrossOriginHeaders } from '../headers/request-headers.ts';
import { parseRequestUrl } from '../url/parse-request-url.ts';
import { toUrlError } from '../url/url-error.ts';

/** A request on its way through redirects. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** The statuses that send a client elsewhere (RFC 9110, section 15.4). */
export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/**
 * Makes the request that a redirect asks for. 303, and 301 or 302 after a POST, become a GET without body; to another origin
 * only allow-listed headers go, and a body never.
 *
 * Errors: as {@link parseRequestUrl}, naming the hop; `transport` with `protocol` (no target), `insecure_redirect` (from https to
 * http) or `cross_origin_redirect`.
 */
export function nextHop(
  hop: Hop,
  answer: { readonly status: number; readonly location: string | undefined },
  options: { readonly number: number; readonly sameOrigin: boolean },
): Hop {
  const name = `Redirect ${String(options.number)}`;
  if (answer.location === undefined || answer.location.trim() === '') {
    throw new ToolError('transport', `${name} names no target.`, { reason: 'protocol' });
  }
  const parsed = parseRequestUrl(decodeLocation(answer.location), hop.url);
  if (!parsed.ok) {
    throw toUrlError(parsed, name);
  }
  const { url } = parsed;
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new ToolError('transport', `${name} leads from https to http and is refused.`, {
      reason: 'insecure_redirect',
    });
  }
  const isSameOrigin = url.origin === hop.url.origin;
  if (options.sameOrigin && !isSameOrigin) {
    throw crossOrigin(`${name} leaves the origin of the request.`);
  }
  const becomesGet =
    (answer.status === 303 && hop.method !== 'HEAD') ||
    ((answer.status === 301 || answer.status === 302) && hop.method === 'POST');
  const body = becomesGet ? undefined : hop.body;
  if (body !== undefined && !isSameOrigin) {
    throw crossOrigin(`${name} would send the request's body to another origin.`);
  }
  const headers = isSameOrigin ? hop.headers : toCrossOriginHeaders(hop.headers);
  return {
    url,
    method: becomesGet ? 'GET' : hop.method,
    headers: body === undefined ? withoutContentHeaders(headers) : headers,
    body,
  };
}

function withoutContentHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith('content-')),
  );
}

/** Header values arrive as one character a byte; servers send unescaped UTF-8 in `Location`. */
function decodeLocation(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

function crossOrigin(message: string): ToolError {
  return new ToolError('transport', message, { reason: 'cross_origin_redirect' });
}
