import { DocumentError } from '../document-error.ts';

/** Share of units whose high byte is NUL from which text counts as UTF-16: Latin text has nearly all. */
const NUL_SHARE = 0.3;

/**
 * Recognises UTF-16 without a byte order mark by where its NUL bytes stand, or `undefined`.
 *
 * Text that is nearly free of Latin characters, spaces and newlines is not recognised.
 *
 * @throws {DocumentError} `unsupported_encoding` for the pattern of UTF-32.
 */
export function utf16WithoutMark(sample: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (sample.length < 4 || sample.length % 2 !== 0 || !sample.includes(0)) return undefined;
  const nul: [number, number, number, number] = [0, 0, 0, 0];
  const { length } = sample;
  for (let index = 0; index < length; index += 1) {
    if (sample[index] === 0) nul[index & 3] = (nul[index & 3] ?? 0) + 1;
  }
  const quads = length / 4;
  if (length >= 8 && isUtf32(nul, quads)) {
    throw new DocumentError('unsupported_encoding', 'The file is UTF-32, which is not supported.');
  }
  const units = length / 2;
  const even = nul[0] + nul[2];
  const odd = nul[1] + nul[3];
  // U+4E00 and its like have a NUL low byte: a few on the other side are no objection.
  if (odd >= units * NUL_SHARE && even * 20 <= odd) return plausible(sample, 'utf-16le');
  if (even >= units * NUL_SHARE && odd * 20 <= even) return plausible(sample, 'utf-16be');
  return undefined;
}

function isUtf32(nul: readonly number[], quads: number): boolean {
  const full = (index: number): boolean => (nul[index] ?? 0) >= Math.floor(quads);
  const empty = (index: number): boolean => nul[index] === 0;
  return (full(2) && full(3) && full(1) && empty(0)) || (full(0) && full(1) && full(2) && empty(3));
}

function plausible<E extends 'utf-16le' | 'utf-16be'>(
  sample: Uint8Array,
  encoding: E,
): E | undefined {
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(sample);
  // A surrogate pair may be cut at the end of the sample. Controls other than white space are no text.
  const clean = text.replace(/\ufffd$/u, '');
  if (/\ufffd|(?!\s)\p{Cc}/u.test(clean)) return undefined;
  return isSeparatedAscii(sample, clean) ? undefined : encoding;
}

/**
 * Whether bytes with NULs are rather ASCII with NULs between (names of `find -print0`): where two bytes stand without a
 * NUL, both are ASCII text, and no unit is white space, which UTF-16 of more than a word has.
 */
function isSeparatedAscii(sample: Uint8Array, text: string): boolean {
  if (/[\t\n\r ]/u.test(text)) return false;
  let pairs = 0;
  for (let index = 0; index + 1 < sample.length; index += 2) {
    const [first = 0, second = 0] = sample.subarray(index, index + 2);
    if (first === 0 || second === 0) continue;
    if (!isAsciiText(first) || !isAsciiText(second)) return false;
    pairs += 1;
  }
  return pairs > 0;
}

function isAsciiText(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d);
}
