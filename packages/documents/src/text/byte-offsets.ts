import { DocumentError } from '../document-error.ts';
import type { Codec } from '../encoding/codec.ts';
import { isUtf16 } from '../encoding/encodings.ts';
import { utf8SequenceAt } from '../encoding/utf8-scan.ts';

/** A place in a text: its UTF-16 offset and the byte at which it starts. */
export interface TextPlace {
  readonly text: number;
  readonly byte: number;
}

/** Decoded text with the bytes that it came from. */
export interface DecodedText {
  readonly bytes: Uint8Array;
  /** Bytes of the byte order mark, which is no part of `text`. */
  readonly bomLength: number;
  readonly text: string;
  readonly codec: Codec;
  readonly lossy: boolean;
}

/**
 * The byte at which text offset `offset` starts, counted on from an earlier place.
 *
 * @throws {DocumentError} `malformed` where ill-formed bytes of a legacy encoding leave no such byte.
 */
export function byteOffsetOf(decoded: DecodedText, offset: number, from: TextPlace): number {
  const { encoding } = decoded.codec;
  if (isUtf16(encoding)) return decoded.bomLength + 2 * offset;
  if (encoding !== 'utf-8') return legacyOffset(decoded, offset, from);
  // As many units as bytes: all ASCII.
  if (decoded.text.length === decoded.bytes.length - decoded.bomLength && !decoded.lossy) {
    return decoded.bomLength + offset;
  }
  if (!decoded.lossy) return from.byte + Buffer.byteLength(decoded.text.slice(from.text, offset));
  let { text, byte } = from;
  while (text < offset) {
    const { length } = utf8SequenceAt(decoded.bytes, byte);
    // What is ill-formed is one U+FFFD, whatever its length; only four well-formed bytes make two units.
    text += length === 4 ? 2 : 1;
    byte += length;
  }
  return byte;
}

/**
 * In the legacy encodings LF is a character of its own everywhere, so only the line of the offset is measured: by
 * encoding its start again, or, where the line has bytes that do not survive that, by looking for the start that decodes
 * to it.
 */
function legacyOffset(decoded: DecodedText, offset: number, from: TextPlace): number {
  const { bytes, codec, text } = decoded;
  if (offset === from.text) return from.byte;
  const lineStart = Math.max(text.lastIndexOf('\n', offset - 1) + 1, from.text);
  let lineByte = from.byte;
  for (
    let at = text.indexOf('\n', from.text);
    at >= 0 && at < lineStart;
    at = text.indexOf('\n', at + 1)
  ) {
    lineByte = bytes.indexOf(0x0a, lineByte) + 1;
  }
  const before = text.slice(lineStart, offset);
  if (before === '') return lineByte;
  const lineEnd = bytes.indexOf(0x0a, lineByte);
  const line = bytes.subarray(lineByte, lineEnd < 0 ? bytes.length : lineEnd + 1);
  const encoded = encodeIfPossible(codec, before);
  if (encoded !== undefined && startsWith(line, encoded)) return lineByte + encoded.length;
  const length = lengthThatDecodesTo(codec, line, before);
  if (length !== undefined) return lineByte + length;
  throw new DocumentError(
    'malformed',
    `Near text offset ${offset} the bytes are no whole ${codec.encoding} characters, so nothing is changed there.`,
  );
}

/** Decoded length grows with the bytes (but for a character that is cut), so the place is found by halving. */
function lengthThatDecodesTo(codec: Codec, line: Uint8Array, text: string): number | undefined {
  let low = 0;
  let high = line.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (codec.decode(line.subarray(0, middle)).length < text.length) low = middle + 1;
    else high = middle;
  }
  for (let length = Math.max(0, low - 4); length <= Math.min(line.length, low + 4); length += 1) {
    if (codec.decode(line.subarray(0, length)) === text) return length;
  }
  return undefined;
}

function encodeIfPossible(codec: Codec, text: string): Uint8Array | undefined {
  try {
    return codec.encode(text);
  } catch {
    return undefined;
  }
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return Buffer.compare(bytes.subarray(0, prefix.length), prefix) === 0;
}
