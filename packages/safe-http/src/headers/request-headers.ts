import { ToolError } from '@toolwright/core';

/** The headers that may follow a redirect to another origin; everything else stays behind. */
const CROSS_ORIGIN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'range',
  'user-agent',
]);

/** Headers that belong to the connection or decide where a request ends; a caller cannot set them. */
const TRANSPORT_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/u;

/**
 * Checks and lower-cases a caller's headers. Errors: `invalid_argument`/`bad_header` for a name that is no token, a value with
 * control characters, a header set twice, and a header that only the transport sets.
 */
export function toRequestHeaders(
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase();
    if (!TOKEN.test(name) || !isFieldValue(value)) {
      throw badHeader(`The header ${JSON.stringify(given)} has a malformed name or value.`);
    }
    if (TRANSPORT_HEADERS.has(name)) {
      throw badHeader(`The header "${name}" is set by the transport alone.`);
    }
    if (Object.hasOwn(result, name)) {
      throw badHeader(`The header "${name}" is given twice.`);
    }
    result[name] = value;
  }
  return result;
}

/** The part of the headers that may go to another origin than the one they were meant for. */
export function toCrossOriginHeaders(
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => CROSS_ORIGIN_HEADERS.has(name)),
  );
}

/** Checks a method. Errors: `invalid_argument`/`bad_method` for what is no token, and for tunnels and echoes. */
export function assertMethod(method: string): void {
  if (!TOKEN.test(method) || ['CONNECT', 'TRACE', 'TRACK'].includes(method.toUpperCase())) {
    throw new ToolError(
      'invalid_argument',
      `The method ${JSON.stringify(method)} is not allowed.`,
      {
        reason: 'bad_method',
      },
    );
  }
}

function isFieldValue(value: string): boolean {
  for (const character of value) {
    const code = character.codePointAt(0) ?? 0;
    if ((code < 0x20 && code !== 0x09) || code === 0x7f || code > 0xff) {
      return false;
    }
  }
  return true;
}

function badHeader(message: string): ToolError {
  return new ToolError('invalid_argument', message, { reason: 'bad_header' });
}
