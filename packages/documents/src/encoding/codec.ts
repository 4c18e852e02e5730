import { DocumentError } from '../document-error.ts';
import { isUtf16 } from './encodings.ts';
import type { Encoding } from './encodings.ts';
import { isAsciiBytes } from './utf8-scan.ts';

/** Decodes and encodes one encoding. Neither direction knows of byte order marks: they are the caller's. */
export interface Codec {
  readonly encoding: Encoding;
  /** Text of the bytes; what is ill-formed becomes U+FFFD. */
  decode(bytes: Uint8Array): string;
  /**
   * Bytes of the text.
   *
   * @throws {DocumentError} `unencodable`, naming the first character that the encoding does not have.
   */
  encode(text: string): Uint8Array;
}

/** The codec of an encoding; tables of legacy encodings are loaded when first asked for. */
export async function loadCodec(encoding: Encoding): Promise<Codec> {
  if (encoding === 'utf-8') return UTF8;
  return isUtf16(encoding) ? utf16Codec(encoding) : legacyCodec(encoding);
}

const UTF8: Codec = {
  encoding: 'utf-8',
  // ASCII as Latin-1 is a plain copy: some thirty times faster than the UTF-8 decoder (Node 20).
  decode: (bytes) => asBuffer(bytes).toString(isAsciiBytes(bytes) ? 'latin1' : 'utf8'),
  encode: (text) => {
    assertWellFormed(text);
    return Buffer.from(text, 'utf8');
  },
};

function utf16Codec(encoding: 'utf-16le' | 'utf-16be'): Codec {
  const swap = encoding === 'utf-16be';
  const decoder = new TextDecoder('utf-16le', { ignoreBOM: true });
  return {
    encoding,
    decode: (bytes) => decoder.decode(swap ? swapped(bytes) : bytes),
    encode: (text) => {
      assertWellFormed(text);
      const bytes = Buffer.from(text, 'utf16le');
      return swap ? bytes.swap16() : bytes;
    },
  };
}

/** A copy with the bytes of each unit exchanged; an odd last byte stays. */
function swapped(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes);
  copy.subarray(0, copy.length - (copy.length % 2)).swap16();
  return copy;
}

async function legacyCodec(encoding: Encoding): Promise<Codec> {
  const { default: iconv } = await import('iconv-lite');
  // The table's own mapping of U+FFFD or "?" for what it lacks cannot be told from text: a round trip can.
  const decode = (bytes: Uint8Array): string =>
    iconv.decode(asBuffer(bytes), encoding, { stripBOM: false });
  return {
    encoding,
    decode,
    encode: (text) => {
      assertWellFormed(text);
      const bytes = iconv.encode(text, encoding, { addBOM: false });
      if (decode(bytes) === text) return bytes;
      for (const character of text) {
        if (decode(iconv.encode(character, encoding, { addBOM: false })) === character) continue;
        throw unencodable(character, text.indexOf(character), encoding);
      }
      throw new DocumentError('unencodable', `The text cannot be encoded in ${encoding}.`);
    },
  };
}

function assertWellFormed(text: string): void {
  const match = /\p{Surrogate}/u.exec(text);
  if (match !== null) throw unencodable(match[0], match.index, 'any encoding');
}

function unencodable(character: string, index: number, encoding: string): DocumentError {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const shown = /\p{Surrogate}|\p{Cc}/u.test(character) ? '' : ` "${character}"`;
  return new DocumentError(
    'unencodable',
    `U+${code}${shown} at position ${index} of the text cannot be written in ${encoding}.`,
  );
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
