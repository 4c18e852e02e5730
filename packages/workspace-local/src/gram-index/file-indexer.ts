import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { ScannerMemory } from '../scan/scanner-memory.ts';
import { BitStore, type StoredBits } from './bit-store.ts';

/**
 * What the index knows of a file: the grams of its text; nothing, so that it must be scanned for every query
 * (`open`); or that no query finds anything in it (`empty`). `changedAt` is the time of its last change of status, in
 * milliseconds, when it was read.
 */
export type FileDigest =
  | { readonly kind: 'bits'; readonly place: StoredBits; readonly changedAt: number }
  | { readonly kind: 'open' }
  | { readonly kind: 'empty'; readonly changedAt: number };

/** A larger file is scanned for every query. */
const maxBytes = 16 * 1024 * 1024;
/** As in the scanner: a NUL among the first bytes marks a binary file, of which nothing is told. */
const binaryPrefix = 65_536;
/** Bits for each different gram of a text; fewer let more files through that hold nothing. */
const bitsPerGram = 2.2;
/** Where the sets of small files would make the whole larger than a tenth of the text: bits for each byte at most. */
const scarceBitsPerByte = 0.75;
const minBits = 64;
const maxBits = 1 << 21;
/** Bytes at the start of a text in which different grams are counted, and the bits to count them in. */
const sampleBytes = 4096;
const sampleBits = 1 << 16;
/** How the number of different grams grows with the length of a text (Heaps' law). */
const growth = 0.65;
const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads files one after the other and keeps the grams of their texts. */
export class FileIndexer {
  readonly #memory: ScannerMemory;
  readonly #store: BitStore;
  /** Bytes of text that sets were made of. */
  #bytesRead = 0;

  constructor(memory: ScannerMemory, store: BitStore) {
    this.#memory = memory;
    this.#store = store;
  }

  /** Reads one file by its absolute path. What cannot be read is left to the scan, which says why. */
  index(path: string): FileDigest {
    let descriptor: number | undefined;
    try {
      descriptor = openSync(path, openFlags);
      const stat = fstatSync(descriptor);
      // Under another name a file can change without a word to this directory's watch.
      if (!stat.isFile() || stat.nlink > 1 || stat.size > maxBytes) return { kind: 'open' };
      const length = this.#read(descriptor, stat.size);
      return length === undefined ? { kind: 'open' } : this.#digest(length, stat.ctimeMs);
    } catch {
      return { kind: 'open' };
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  #read(descriptor: number, size: number): number | undefined {
    const memory = this.#memory;
    let length = 0;
    for (;;) {
      memory.reserveText(Math.max(length, size) + 4096);
      const room = memory.textCapacity - length;
      const read = readSync(descriptor, memory.bytes, memory.textStart + length, room, null);
      length += read;
      if (length > maxBytes) return undefined;
      if (read < room) return length;
    }
  }

  #digest(length: number, changedAt: number): FileDigest {
    const memory = this.#memory;

    const start = memory.textStart;
    const end = start + length;
    const first = memory.bytes[start];
    const second = memory.bytes[start + 1];
    const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
    if (isWide) return { kind: 'open' };
    const prefix = Math.min(end, start + binaryPrefix);
    if (memory.code.nextByte(start, prefix, 0) < prefix) return { kind: 'empty', changedAt };
    // The scan decodes such a file before it looks for what is not ASCII.
    if (!isUtf8(memory.bytes.subarray(start, end))) return { kind: 'open' };
    const at = (end + 64) & ~63;
    const size = this.#sizeOf(start, end, at);
    memory.reserveText(at + size - start);
    memory.bytes.fill(0, at, at + size);
    memory.code.markGrams(start, end, at, size * 8);
    this.#bytesRead += length;
    const place = this.#store.add(memory.bytes.subarray(at, at + size));
    return { kind: 'bits', place, changedAt };
  }

  /** Bytes of a set for a text; those at `scratch` are used to count. */
  #sizeOf(start: number, end: number, scratch: number): number {
    const memory = this.#memory;
    memory.reserveText(scratch + sampleBits / 8 - start);
    memory.bytes.fill(0, scratch, scratch + sampleBits / 8);
    const sampleEnd = Math.min(end, start + sampleBytes);
    const counted = memory.code.markGrams(start, sampleEnd, scratch, sampleBits);
    const grams = counted * Math.max((end - start) / sampleBytes, 1) ** growth;
    const isScarce = this.#store.bytes > this.#bytesRead / 10;
    const most = isScarce ? (end - start) * scarceBitsPerByte : maxBits;
    return Math.ceil(Math.max(Math.min(grams * bitsPerGram, most, maxBits), minBits) / 8);
  }
}
