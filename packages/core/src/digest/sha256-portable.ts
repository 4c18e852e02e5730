import { toHex } from './hex.ts';
import type { Sha256Hasher } from './sha256-hasher.ts';

/** Starts a running SHA-256 (FIPS 180-4) in plain JavaScript, for platforms without a synchronous native one. */
export function createSha256(): Sha256Hasher {
  const state = Int32Array.from(INITIAL_STATE);
  const compression = { state, schedule: new Int32Array(64) };
  const block = new Uint8Array(64);
  let blockLength = 0;
  let totalBytes = 0;

  function update(bytes: Uint8Array): void {
    totalBytes += bytes.length;
    let position = 0;
    if (blockLength > 0) {
      position = Math.min(64 - blockLength, bytes.length);
      block.set(bytes.subarray(0, position), blockLength);
      blockLength += position;
      if (blockLength < 64) return;
      compress(compression, block, 0);
    }
    for (; position + 64 <= bytes.length; position += 64) {
      compress(compression, bytes, position);
    }
    block.set(bytes.subarray(position));
    blockLength = bytes.length - position;
  }

  function digestHex(): string {
    const bits = totalBytes * 8;
    const zeros = (119 - (totalBytes % 64)) % 64;
    const padding = new Uint8Array(1 + zeros + 8);
    padding[0] = 0x80;
    const view = new DataView(padding.buffer);
    view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(padding.length - 4, bits % 2 ** 32);
    update(padding);
    const digest = new DataView(new ArrayBuffer(32));
    state.forEach((word, index) => digest.setInt32(index * 4, word));
    return toHex(new Uint8Array(digest.buffer));
  }

  return { update, digestHex };
}

/** Hashes bytes at once: 64 lowercase hex digits. */
export function sha256OfBytes(bytes: Uint8Array): string {
  const hasher = createSha256();
  hasher.update(bytes);
  return hasher.digestHex();
}

/** Hashes the UTF-8 of a text at once: 64 lowercase hex digits. */
export function sha256OfText(text: string): string {
  return sha256OfBytes(new TextEncoder().encode(text));
}

/** The length of the UTF-8 of a text in bytes; a lone surrogate counts as U+FFFD, three bytes. */
export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

// FIPS 180-4, 5.3.3 and 4.2.2: the first 32 bits of the fractional parts of the square roots of the first
// 8 primes and of the cube roots of the first 64.
const INITIAL_STATE = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];
const ROUND_CONSTANTS = Int32Array.from([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);

interface Compression {
  readonly state: Int32Array;
  /** Scratch space of 64 words. */
  readonly schedule: Int32Array;
}

/** FIPS 180-4, 6.2.2, over the 64 bytes at `offset`. */
function compress({ state, schedule }: Compression, bytes: Uint8Array, offset: number): void {
  for (let t = 0, i = offset; t < 16; t += 1, i += 4) {
    schedule[t] =
      (byteAt(bytes, i) << 24) |
      (byteAt(bytes, i + 1) << 16) |
      (byteAt(bytes, i + 2) << 8) |
      byteAt(bytes, i + 3);
  }
  for (let t = 16; t < 64; t += 1) {
    const w15 = wordAt(schedule, t - 15);
    const w2 = wordAt(schedule, t - 2);
    const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3);
    const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10);
    schedule[t] = (wordAt(schedule, t - 16) + s0 + wordAt(schedule, t - 7) + s1) | 0;
  }
  let a = wordAt(state, 0);
  let b = wordAt(state, 1);
  let c = wordAt(state, 2);
  let d = wordAt(state, 3);
  let e = wordAt(state, 4);
  let f = wordAt(state, 5);
  let g = wordAt(state, 6);
  let h = wordAt(state, 7);
  for (let t = 0; t < 64; t += 1) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const t1 = (h + s1 + choice + wordAt(ROUND_CONSTANTS, t) + wordAt(schedule, t)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + s0 + majority) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] = (wordAt(state, index) + word) | 0;
  });
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}

function wordAt(words: Int32Array, index: number): number {
  return words[index] ?? 0;
}
