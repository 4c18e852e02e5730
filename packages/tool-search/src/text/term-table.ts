/**
 * Numbers for terms, found by the characters of a text without cutting them out of it: for a term that is known
 * nothing is allocated.
 */
export class TermTable {
  readonly #keep: (part: string) => string;
  readonly #terms: string[] = [];
  #slots = new Int32Array(1 << 16);
  readonly #hashes: number[] = [];

  /** `long`: terms are parts of texts that must not be kept in memory with them. */
  constructor(source: 'long' | 'short') {
    this.#keep = source === 'long' ? copyOf : (part) => part;
  }

  get size(): number {
    return this.#terms.length;
  }

  /** The number of the term at a range of a text; a new one where it is new. */
  intern(text: string, start: number, end: number): number {
    const hash = hashOf(text, start, end);
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const id = (this.#slots[slot] ?? 0) - 1;
      if (id < 0) break;
      if (this.#hashes[id] === hash && this.#isAt(id, text, start, end)) return id;
      slot = (slot + 1) & mask;
    }
    const id = this.#terms.push(this.#keep(text.slice(start, end))) - 1;
    this.#hashes.push(hash);
    this.#slots[slot] = id + 1;
    if (this.#terms.length * 2 > this.#slots.length) this.#grow();
    return id;
  }

  /** The number of a term; undefined for one that was never seen. */
  find(term: string): number | undefined {
    const hash = hashOf(term, 0, term.length);
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const id = (this.#slots[slot] ?? 0) - 1;
      if (id < 0) return undefined;
      if (this.#terms[id] === term) return id;
    }
  }

  #isAt(id: number, ...[text, start, end]: readonly [string, number, number]): boolean {
    const term = this.#terms[id] ?? '';
    return term.length === end - start && text.startsWith(term, start);
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (const [id, hash] of this.#hashes.entries()) {
      let slot = hash & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = id + 1;
    }
  }
}

function hashOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 15);
}

/** A part of a long text would keep the whole of it in memory. */
function copyOf(part: string): string {
  return part.length < 13 ? part : Buffer.from(part, 'utf16le').toString('utf16le');
}
