import { Buffer } from 'node:buffer';
import { createHash, hash } from 'node:crypto';
import type { Sha256Hasher } from './sha256-hasher.ts';

/** Starts a running SHA-256 on Node's native implementation. */
export function createSha256(): Sha256Hasher {
  const native = createHash('sha256');
  return {
    update(bytes) {
      native.update(bytes);
    },
    digestHex: () => native.digest('hex'),
  };
}

/** Hashes bytes at once: 64 lowercase hex digits. For up to a megabyte the one-shot call is twice as fast. */
export function sha256OfBytes(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** Hashes the UTF-8 of a text at once, without a copy of it: 64 lowercase hex digits. */
export function sha256OfText(text: string): string {
  return hash('sha256', text, 'hex');
}

/** The length of the UTF-8 of a text in bytes; a lone surrogate counts as U+FFFD, three bytes. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text);
}
