/**
 * Reads the file name of a `Content-Disposition` header (RFC 6266): `filename*` (RFC 8187) wins over `filename`.
 *
 * Malformed parameters are skipped; an unquoted name with spaces is taken as meant. Only `\"` and `\\` count as escapes inside
 * quotes, for servers that send Windows paths there. `value` has one character a byte, as HTTP delivers it; names in raw UTF-8
 * are recognised. Returns the name as sent, not yet safe to use; `undefined` when there is none.
 */
export function parseDispositionName(value: string | undefined): string | undefined {
  const parameters = splitParameters(value ?? '');
  return (
    firstName(parameters, 'filename*', decodeExtended) ??
    firstName(parameters, 'filename', decodePlain)
  );
}

interface Parameter {
  readonly name: string;
  readonly value: string;
}

function firstName(
  parameters: readonly Parameter[],
  name: string,
  decode: (value: string) => string | undefined,
): string | undefined {
  for (const parameter of parameters) {
    const decoded = parameter.name === name ? decode(parameter.value) : undefined;
    if (decoded !== undefined && decoded.trim() !== '') {
      return decoded;
    }
  }
  return undefined;
}

/** Splits at semicolons outside quotes; the first part is the disposition's type unless it is itself a parameter. */
function splitParameters(text: string): readonly Parameter[] {
  const parts: string[] = [];
  let part = '';
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (isQuoted && character === '\\' && index + 1 < text.length) {
      part += character + (text[index + 1] ?? '');
      index += 1;
      continue;
    }
    if (character === '"') {
      isQuoted = !isQuoted;
    }
    if (character === ';' && !isQuoted) {
      parts.push(part);
      part = '';
      continue;
    }
    part += character;
  }
  parts.push(part);
  return parts.flatMap((piece) => {
    const equals = piece.indexOf('=');
    return equals === -1
      ? []
      : [
          {
            name: piece.slice(0, equals).trim().toLowerCase(),
            value: piece.slice(equals + 1).trim(),
          },
        ];
  });
}

function decodePlain(value: string): string | undefined {
  const quoted = /^"(?<inner>(?:[^"\\]|\\.)*)"?/su.exec(value)?.groups?.['inner'];
  return toUtf8(quoted === undefined ? value : quoted.replaceAll(/\\(["\\])/gu, '$1'));
}

/** RFC 8187: `charset'language'percent-encoded`. */
function decodeExtended(value: string): string | undefined {
  const match = /^"?(?<charset>[\w-]*)'[\w-]*'(?<text>[^"]*)"?$/u.exec(value);
  const charset = match?.groups?.['charset']?.toLowerCase();
  const text = match?.groups?.['text'];
  if (charset === undefined || text === undefined || /%(?![\da-f]{2})/iu.test(text)) {
    return undefined;
  }
  const bytes = Buffer.from(unescapeToLatin1(text), 'latin1');
  switch (charset) {
    case '':
    case 'utf-8':
    case 'utf8':
    case 'us-ascii':
      return decodeStrictly(bytes);
    case 'iso-8859-1':
      return bytes.toString('latin1');
    default:
      return undefined;
  }
}

function unescapeToLatin1(text: string): string {
  return text.replaceAll(/%([\da-f]{2})/giu, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}

/** The bytes of a header value as UTF-8 where they are UTF-8, as latin1 where not. */
function toUtf8(value: string): string {
  return decodeStrictly(Buffer.from(value, 'latin1')) ?? value;
}

function decodeStrictly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
