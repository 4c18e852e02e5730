/** A response's status line and headers, read strictly. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** How the body ends. */
  readonly framing:
    | { readonly kind: 'length'; readonly length: number }
    | { readonly kind: 'close' }
    | { readonly kind: 'chunked' };
  /** Whether the connection may serve another request. */
  readonly keepsAlive: boolean;
}

/** Thrown for bytes that are no response by RFC 9112; nothing is repaired. */
export class MalformedHead extends Error {
  override readonly name = 'MalformedHead';
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/u;
const FIELD_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/u;

/**
 * Reads the head of a response to a GET: `text` are its bytes as latin1, without the blank line. Folded lines, bare line breaks, control
 * characters, more than one length or one that is no number, and a length beside a transfer coding are malformed (RFC 9112, sections 4–6).
 */
export function parseResponseHead(text: string): ResponseHead {
  const [start = '', ...lines] = text.split('\r\n');
  const [, minor, code] =
    /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\u0020-\u007e\u0080-\u00ff]*)?$/u.exec(start) ?? [];
  if (minor === undefined || code === undefined) {
    throw new MalformedHead('The status line is malformed.');
  }
  const fields = lines.map(parseField);
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of fields) {
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const status = Number(code);
  const framing = framingOf(status, fields);
  const connection = (headers['connection'] ?? '').toLowerCase();
  const keepsAlive =
    framing.kind === 'length' &&
    (minor === '1' ? !/\bclose\b/u.test(connection) : /\bkeep-alive\b/u.test(connection));
  return { status, headers, framing, keepsAlive };
}

function parseField(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0));
  const value = line.slice(colon + 1).replaceAll(/^[ \t]+|[ \t]+$/gu, '');
  if (!TOKEN.test(name) || !FIELD_VALUE.test(value)) {
    throw new MalformedHead('A header is malformed.');
  }
  return [name.toLowerCase(), value];
}

function framingOf(
  status: number,
  fields: readonly (readonly [name: string, value: string])[],
): ResponseHead['framing'] {
  const lengths = fields.filter(([name]) => name === 'content-length').map(([, value]) => value);
  const isCoded = fields.some(([name]) => name === 'transfer-encoding');
  const [length] = lengths;
  if ((isCoded && length !== undefined) || lengths.length > 1) {
    throw new MalformedHead('The length of the body is told twice.');
  }
  if (isCoded) {
    const codings = fields
      .filter(([name]) => name === 'transfer-encoding')
      .map(([, value]) => value);
    if (codings.join().toLowerCase() !== 'chunked') {
      throw new MalformedHead('The transfer coding is not chunked.');
    }
    return { kind: 'chunked' };
  }
  if (
    length !== undefined &&
    (!/^\d{1,16}$/u.test(length) || !Number.isSafeInteger(Number(length)))
  ) {
    throw new MalformedHead('The length of the body is no number.');
  }
  if (status === 204 || status === 304) {
    return { kind: 'length', length: 0 };
  }
  return length === undefined ? { kind: 'close' } : { kind: 'length', length: Number(length) };
}
