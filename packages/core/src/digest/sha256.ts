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
