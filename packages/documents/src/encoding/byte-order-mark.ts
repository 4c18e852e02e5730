import { DocumentError } from '../document-error.ts';
import type { Encoding } from './encodings.ts';

/** A byte order mark found at the start of a file: the encoding it declares and its length in bytes. */
export interface ByteOrderMark {
  readonly encoding: Encoding;
  readonly length: number;
}

const MARKS: readonly { readonly bytes: readonly number[]; readonly encoding: Encoding }[] = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
  { bytes: [0x84, 0x31, 0x95, 0x33], encoding: 'gb18030' },
];

/**
 * Reads the byte order mark at the start of `bytes` (Unicode Standard, 23.8), or `undefined` without one.
 *
 * @throws {DocumentError} `unsupported_encoding` for the marks of UTF-32.
 */
export function readByteOrderMark(bytes: Uint8Array): ByteOrderMark | undefined {
  if (startsWith(bytes, [0xff, 0xfe, 0, 0]) || startsWith(bytes, [0, 0, 0xfe, 0xff])) {
    throw new DocumentError('unsupported_encoding', 'The file is UTF-32, which is not supported.');
  }
  const mark = MARKS.find((candidate) => startsWith(bytes, candidate.bytes));
  return mark && { encoding: mark.encoding, length: mark.bytes.length };
}

/** The bytes of the mark that `encoding` starts with, empty where it has none. */
export function byteOrderMarkOf(encoding: Encoding): Uint8Array {
  return Uint8Array.from(MARKS.find((mark) => mark.encoding === encoding)?.bytes ?? []);
}

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}
