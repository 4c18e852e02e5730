/** A part of a byte sequence as well-formed text. */
export interface TextCut {
  readonly text: string;
  /** How many bytes of the sequence it stands for. */
  readonly bytes: number;
  /** Whether some of them were ill-formed and became U+FFFD. */
  readonly isRepaired: boolean;
}

/**
 * Takes the longest prefix that ends between two characters and is at most `maxBytes` of UTF-8 as text.
 * Ill-formed sequences become U+FFFD as the WHATWG Encoding Standard replaces them, and count three bytes.
 */
export function cutHead(bytes: Uint8Array, maxBytes: number): TextCut {
  let end = Math.min(maxBytes, bytes.length);
  for (let back = 0; back < 3 && end > 0 && isContinuation(bytes[end]); back += 1) end -= 1;
  const text = decodeWellFormed(bytes.subarray(0, end));
  if (text !== undefined) return { text, bytes: end, isRepaired: false };
  let position = 0;
  for (let room = maxBytes; position < bytes.length;) {
    const step = stepAt(bytes, position);
    room -= step.textBytes;
    if (room < 0) break;
    position += step.bytes;
  }
  return decode(bytes.subarray(0, position));
}

/**
 * Takes the longest suffix that starts between two characters and is at most `maxBytes` of UTF-8 as text.
 * Up to three leading continuation bytes are left out: the sequence may itself be the end of a longer one.
 */
export function cutTail(bytes: Uint8Array, maxBytes: number): TextCut {
  let start = Math.max(0, bytes.length - maxBytes);
  for (let on = 0; on < 3 && isContinuation(bytes[start]); on += 1) start += 1;
  const text = decodeWellFormed(bytes.subarray(start));
  if (text !== undefined) return { text, bytes: bytes.length - start, isRepaired: false };
  let excess = -maxBytes;
  for (let at = start; at < bytes.length;) {
    const step = stepAt(bytes, at);
    excess += step.textBytes;
    at += step.bytes;
  }
  while (excess > 0) {
    const step = stepAt(bytes, start);
    excess -= step.textBytes;
    start += step.bytes;
  }
  return decode(bytes.subarray(start));
}

/** Decodes bytes that are well-formed UTF-8, a byte order mark included; `undefined` for others. */
function decodeWellFormed(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Decodes bytes with U+FFFD for what is ill-formed; a byte order mark stays. */
export function decode(bytes: Uint8Array): TextCut {
  const text = decodeWellFormed(bytes);
  if (text !== undefined) return { text, bytes: bytes.length, isRepaired: false };
  return { text: lenientDecoder.decode(bytes), bytes: bytes.length, isRepaired: true };
}

// Without `stream` a decoder keeps nothing between two calls; making one costs more than decoding a short text.
const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenientDecoder = new TextDecoder('utf-8', { ignoreBOM: true });

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

const REPLACEMENT_BYTES = 3;

/** One character, or one maximal ill-formed subpart (Unicode, table 3-7): its bytes, and its bytes as text. */
function stepAt(bytes: Uint8Array, position: number): { bytes: number; textBytes: number } {
  const lead = bytes[position] ?? 0;
  if (lead < 0x80) return { bytes: 1, textBytes: 1 };
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return { bytes: 1, textBytes: REPLACEMENT_BYTES };
  // The second byte alone excludes overlong forms, surrogates and what lies past U+10FFFF.
  const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  const second = bytes[position + 1] ?? 0;
  if (second < lowest || second > highest) return { bytes: 1, textBytes: REPLACEMENT_BYTES };
  for (let index = 2; index < length; index += 1) {
    if (!isContinuation(bytes[position + index])) {
      return { bytes: index, textBytes: REPLACEMENT_BYTES };
    }
  }
  return { bytes: length, textBytes: length };
}
