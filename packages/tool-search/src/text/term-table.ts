/** Numbers in a slot: the hash of a term, and its number plus one. */
const slotLength = 2;

/**
 * Numbers for terms, found by the code units of a text without cutting them out of it. Terms are kept in one array: a
 * million of them are no objects for the collector to look at.
 */
export class TermTable {
  #units = new Uint16Array(1 << 14);
  /** Where each term begins in `#units`; the last one ends where the next will begin. */
  #starts = new Int32Array(1 << 11);
  #slots = new Int32Array((1 << 12) * slotLength);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The number of the term at a range of code units; a new one where it is new. */
  intern(text: Uint16Array, start: number, end: number): number {
    const slot = this.#slotOf(text, start, end);
    const id = (this.#slots[slot + 1] ?? 0) - 1;
    if (id >= 0) return id;
    this.#slots[slot] = hashOf(text, start, end);
    this.#slots[slot + 1] = this.#size + 1;
    return this.#add(text, start, end);
  }

  /** The number of a term; undefined for one that was never seen. */
  find(term: string): number | undefined {
    const text = Uint16Array.from({ length: term.length }, (_, at) => term.charCodeAt(at));
    const id = (this.#slots[this.#slotOf(text, 0, text.length) + 1] ?? 0) - 1;
    return id < 0 ? undefined : id;
  }

  /** Where the term stands in the slots, or would stand. */
  #slotOf(text: Uint16Array, start: number, end: number): number {
    const slots = this.#slots;
    const units = this.#units;
    const hash = hashOf(text, start, end);
    const mask = slots.length - 1;
    for (let slot = (hash * slotLength) & mask; ; slot = (slot + slotLength) & mask) {
      const id = (slots[slot + 1] ?? 0) - 1;
      if (id < 0) return slot;
      if (slots[slot] !== hash) continue;
      const from = this.#starts[id] ?? 0;
      if ((this.#starts[id + 1] ?? 0) - from !== end - start) continue;
      let at = start;
      while (at < end && units[from + at - start] === text[at]) at += 1;
      if (at === end) return slot;
    }
  }

  #add(text: Uint16Array, start: number, end: number): number {
    const id = this.#size;
    const from = this.#starts[id] ?? 0;
    const to = from + end - start;
    if (to > this.#units.length) {
      const units = new Uint16Array(to * 2);
      units.set(this.#units);
      this.#units = units;
    }
    if (id + 2 > this.#starts.length) {
      const starts = new Int32Array(this.#starts.length * 2);
      starts.set(this.#starts);
      this.#starts = starts;
    }
    for (let at = start; at < end; at += 1) this.#units[from + at - start] = text[at] ?? 0;
    this.#starts[id + 1] = to;
    this.#size += 1;
    if (this.#size * 2 * slotLength > this.#slots.length) this.#grow();
    return id;
  }

  #grow(): void {
    const before = this.#slots;
    const slots = new Int32Array(before.length * 2);
    const mask = slots.length - 1;
    for (let at = 0; at < before.length; at += slotLength) {
      if (before[at + 1] === 0) continue;
      let slot = ((before[at] ?? 0) * slotLength) & mask;
      while (slots[slot + 1] !== 0) slot = (slot + slotLength) & mask;
      slots[slot] = before[at] ?? 0;
      slots[slot + 1] = before[at + 1] ?? 0;
    }
    this.#slots = slots;
  }
}

function hashOf(text: Uint16Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i += 1) hash = Math.imul(hash ^ (text[i] ?? 0), 0x01000193);
  return hash ^ (hash >>> 15);
}
