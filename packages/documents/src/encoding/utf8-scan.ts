import { isAscii, isUtf8 } from 'node:buffer';

/** Counts of what a scan for UTF-8 met. */
export interface Utf8Counts {
  /** Well-formed sequences of two bytes or more. */
  readonly multiByte: number;
  /** Ill-formed sequences: each shows as one U+FFFD. */
  readonly malformed: number;
  /** Bytes of 0x80 and above. */
  readonly highBytes: number;
}

/** Whether every byte is below 0x80. */
export function isAsciiBytes(bytes: Uint8Array): boolean {
  return isAscii(bytes);
}

/** Whether the bytes are well-formed UTF-8 as a whole. */
export function isUtf8Bytes(bytes: Uint8Array): boolean {
  return isUtf8(bytes);
}

/**
 * Length in bytes of the sequence at `index`, and whether it is well-formed. An ill-formed one has the length of its
 * maximal subpart, so that it decodes to exactly one U+FFFD (Encoding Standard, UTF-8 decoder).
 */
export function utf8SequenceAt(
  bytes: Uint8Array,
  index: number,
): { length: number; wellFormed: boolean } {
  const lead = bytes[index] ?? 0;
  if (lead < 0x80) return { length: 1, wellFormed: true };
  if (lead < 0xc2 || lead > 0xf4) return { length: 1, wellFormed: false };
  const wanted = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  let low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  let high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  for (let length = 1; length < wanted; length += 1) {
    const next = bytes[index + length];
    if (next === undefined || next < low || next > high) return { length, wellFormed: false };
    low = 0x80;
    high = 0xbf;
  }
  return { length: wanted, wellFormed: true };
}

/** Number of bytes at the end of `bytes` that may be the start of a sequence continued in the next chunk (0–3). */
export function incompleteUtf8Tail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const wanted = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
      return wanted > back ? back : 0;
    }
  }
  return 0;
}

/** Counts well-formed and ill-formed sequences; linear in the length of `bytes`. */
export function countUtf8(bytes: Uint8Array): Utf8Counts {
  let multiByte = 0;
  let malformed = 0;
  let highBytes = 0;
  let index = 0;
  while (index < bytes.length) {
    if ((bytes[index] ?? 0) < 0x80) {
      index += 1;
      continue;
    }
    const { length, wellFormed } = utf8SequenceAt(bytes, index);
    if (wellFormed) multiByte += 1;
    else malformed += 1;
    highBytes += length;
    index += length;
  }
  return { multiByte, malformed, highBytes };
}
