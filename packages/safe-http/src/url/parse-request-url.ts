import { isBlockedPort } from './blocked-ports.ts';
import { isLocalName } from './blocked-names.ts';

/** Why a URL is refused before anything is resolved. */
export type UrlRefusal = 'invalid_url' | 'userinfo' | 'scheme' | 'port' | 'local_name';

/** A URL that may be resolved, or the reason why not. `url` never carries userinfo or a fragment. */
export type ParsedRequestUrl =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly refusal: UrlRefusal; readonly message: string };

/** Longest URL taken, in UTF-16 code units; what browsers and servers handle ends well below. */
export const MAX_URL_LENGTH = 16_384;

/**
 * Reads the URL of a request, or of a redirect relative to `base`, and applies every check that needs no resolver.
 *
 * The WHATWG parser decides; the parsed object is what is connected to, never the text. White space around the text is dropped.
 * Spellings on which parsers are known to disagree about the host are refused instead of repaired: control characters inside
 * (the parser would delete tabs and line ends), and a backslash before the query (it would be read as a slash).
 */
export function parseRequestUrl(text: string, base?: URL): ParsedRequestUrl {
  const trimmed = text.trim();
  if (trimmed === '') {
    return refuse('invalid_url', 'The URL is empty.');
  }
  if (trimmed.length > MAX_URL_LENGTH) {
    return refuse('invalid_url', `The URL is longer than ${String(MAX_URL_LENGTH)} characters.`);
  }
  if (hasControlCharacter(trimmed)) {
    return refuse('invalid_url', 'The URL contains a control character, tab or line break.');
  }
  const end = trimmed.search(/[?#]/u);
  if (trimmed.slice(0, end === -1 ? undefined : end).includes('\\')) {
    return refuse(
      'invalid_url',
      'The URL contains a backslash before its query; write "/" or "%5C".',
    );
  }
  let url: URL;
  try {
    url = new URL(trimmed, base);
  } catch {
    return refuse('invalid_url', 'The URL cannot be parsed; give an absolute http or https URL.');
  }
  return checkUrl(url);
}

function checkUrl(url: URL): ParsedRequestUrl {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return refuse(
      'scheme',
      `The scheme "${url.protocol}" is refused; only http and https are allowed.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    return refuse('userinfo', 'The URL carries a user name or password; remove it.');
  }
  if (url.hostname === '' || url.hostname.replaceAll('.', '') === '') {
    return refuse('invalid_url', 'The URL has no host.');
  }
  if (isBlockedPort(portOf(url))) {
    return refuse(
      'port',
      `Port ${String(portOf(url))} belongs to another protocol and is refused.`,
    );
  }
  if (isLocalName(url.hostname)) {
    return refuse(
      'local_name',
      `The host "${url.hostname}" is this machine and is refused, whatever is allowed; where the host allows its address (allowPrivateHosts), use that.`,
    );
  }
  url.hash = '';
  return { ok: true, url };
}

/** The port that a connection for this URL goes to: the written one, or the scheme's own. */
export function portOf(url: URL): number {
  if (url.port !== '') {
    return Number(url.port);
  }
  return url.protocol === 'https:' ? 443 : 80;
}

/** The host without the brackets of an IPv6 literal, as a socket or a resolver takes it. */
export function bareHost(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code === 0x2028 || code === 0x2029) {
      return true;
    }
  }
  return false;
}

function refuse(refusal: UrlRefusal, message: string): ParsedRequestUrl {
  return { ok: false, refusal, message };
}
