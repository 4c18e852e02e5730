import { createSha256, sha256OfBytes, sha256OfText, utf8Length } from '#sha256';
import { utf8Chunks } from './utf8-chunks.ts';

export { createSha256, utf8Length };

/** SHA-256 of bytes, or of the UTF-8 of a text (a lone surrogate counts as U+FFFD): 64 lowercase hex digits. */
export function sha256Hex(data: string | Uint8Array): string {
  if (typeof data !== 'string') return sha256OfBytes(data);
  if (data.length <= MAX_UNITS_AT_ONCE) return sha256OfText(data);
  const hasher = createSha256();
  for (const chunk of utf8Chunks(data)) hasher.update(chunk);
  return hasher.digestHex();
}

const MAX_UNITS_AT_ONCE = 65_536;

/** How long the UTF-8 of a text is and what it hashes to. */
interface TextMeasure {
  readonly bytes: number;
  readonly sha256: string;
}

/** Both at once: for a text that is not long, one encoding into the same memory again and again. */
export function measureText(text: string): TextMeasure {
  if (text.length * 3 > SCRATCH_BYTES) return { bytes: utf8Length(text), sha256: sha256Hex(text) };
  scratch ??= new Uint8Array(SCRATCH_BYTES);
  const bytes = encoder.encodeInto(text, scratch).written;
  return { bytes, sha256: sha256OfBytes(scratch.subarray(0, bytes)) };
}

const SCRATCH_BYTES = 32_768;
let scratch: Uint8Array | undefined;
const encoder = new TextEncoder();
