import { bitOf, type GramQuery } from './gram-query.ts';

/** A set of bits in the store. */
export interface StoredBits {
  readonly chunk: number;
  /** Bytes from the start of the chunk. */
  readonly offset: number;
  /** How many bits; a multiple of 8. */
  readonly count: number;
}

const chunkBytes = 1 << 20;

/** Sets of bits, one after the other in large chunks, so that thousands of files cost no object each. */
export class BitStore {
  readonly #chunks: Uint8Array[] = [];
  #used = chunkBytes;
  #dropped = 0;

  /** Bytes that the store holds on to. */
  get bytes(): number {
    return this.#chunks.length * chunkBytes;
  }

  /** Bytes of sets that nobody uses any more. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Copies a set of at most 1 MiB into the store. */
  add(bits: Uint8Array): StoredBits {
    if (this.#used + bits.length > chunkBytes) {
      this.#dropped += chunkBytes - this.#used;
      this.#chunks.push(new Uint8Array(chunkBytes));
      this.#used = 0;
    }
    const place = { chunk: this.#chunks.length - 1, offset: this.#used, count: bits.length * 8 };
    this.#chunks[place.chunk]?.set(bits, place.offset);
    this.#used += bits.length;
    return place;
  }

  /** The set is not used any more. */
  drop(place: StoredBits): void {
    this.#dropped += place.count >> 3;
  }

  /** The bits of a set; void after the store is gone. */
  bitsOf(place: StoredBits): Uint8Array {
    const { chunk, offset, count } = place;
    return (this.#chunks[chunk] ?? new Uint8Array()).subarray(offset, offset + (count >> 3));
  }

  /** Whether a text with this set may hold what is asked for. */
  mayHold(place: StoredBits, query: GramQuery): boolean {
    const chunk = this.#chunks[place.chunk];
    if (chunk === undefined) return true;
    for (let i = 0; i < query.length; i += 1) {
      const groups = query[i] ?? [];
      let met = 0;
      while (met < groups.length && meets(chunk, place, groups[met] ?? [])) met += 1;
      if (met === groups.length) return true;
    }
    return false;
  }
}

function meets(chunk: Uint8Array, place: StoredBits, group: readonly number[]): boolean {
  for (let i = 0; i < group.length; i += 1) {
    const bit = bitOf(group[i] ?? 0, place.count);
    if (((chunk[place.offset + (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0) return true;
  }
  return false;
}
