/** A secret shorter than this, in characters, would hide ordinary text and is refused. */
export const MIN_SECRET_LENGTH = 6;

/**
 * All the ways in which a secret may stand in an output: as it is and without surrounding blanks, line by line,
 * as part of a JSON string, percent-encoded, and in base64 and base64url at each of the three offsets that text before
 * it may cause. Every spelling is at least six characters long.
 */
export function secretSpellings(secret: string): readonly string[] {
  const plain = new Set([secret, secret.trim(), ...secretLines(secret)]);
  const spellings = new Set<string>();
  for (const text of plain) {
    if (text.length < MIN_SECRET_LENGTH) continue;
    for (const spelling of [
      text,
      ...jsonSpellings(text),
      ...percentSpellings(text),
      ...base64Spellings(text),
    ]) {
      spellings.add(spelling);
    }
  }
  return Array.from(spellings);
}

/** Lines this long are secret by themselves: tools print keys of several lines with numbers or indentation. */
const MIN_LINE_LENGTH = 16;

function secretLines(secret: string): string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  // RFC 7468: the first and last line of a key only say what it is.
  return lines.filter((line) => line.length >= MIN_LINE_LENGTH && !line.startsWith('-----'));
}

/** RFC 8259: with the fewest escapes, with escaped slashes, all in ASCII, and each of them inside another string. */
function jsonSpellings(text: string): string[] {
  const escape = (value: string) => JSON.stringify(value).slice(1, -1);
  const toAscii = (value: string, isUpper: boolean) =>
    value.replaceAll(/[^\u0020-\u007e]/g, (unit) => {
      const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
      return `\\u${isUpper ? hex.toUpperCase() : hex}`;
    });
  const once = escape(text);
  const spellings = [once, toAscii(once, false), toAscii(once, true)];
  const withSlashes = spellings.map((spelling) => spelling.replaceAll('/', '\\/'));
  return [...spellings, ...withSlashes, ...[...spellings, ...withSlashes].map(escape)];
}

/** RFC 3986 and the form encoding of the URL Standard, with digits of either case. */
function percentSpellings(text: string): string[] {
  const component = encodeURIComponent(text);
  const strict = component.replaceAll(/[!'()*]/g, percentByte);
  const form = new URLSearchParams({ '': text }).toString().slice(1);
  const spellings = [component, strict, form, encodeURI(text)];
  const toLower = (spelling: string) =>
    spelling.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  return [...spellings, ...spellings.map(toLower)];
}

function percentByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/**
 * RFC 4648, sections 4 and 5. At each offset only the characters are taken that the secret decides alone, so that it is
 * found in the middle of longer text too; with the offset 0 also the whole with its padding.
 */
function base64Spellings(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  const spellings = [toBase64(bytes)];
  for (const offset of [0, 1, 2]) {
    const shifted = new Uint8Array(offset + bytes.length);
    shifted.set(bytes, offset);
    const first = Math.ceil((offset * 8) / 6);
    const end = Math.floor((shifted.length * 8) / 6);
    spellings.push(toBase64(shifted).slice(first, end));
  }
  const toUrlAlphabet = (spelling: string) => spelling.replaceAll('+', '-').replaceAll('/', '_');
  return [...spellings, ...spellings.map(toUrlAlphabet)];
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
