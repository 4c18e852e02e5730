/**
 * Finds many patterns in one pass (Aho and Corasick, 1975). Its size is proportional to the patterns; the time of a
 * pass is proportional to the text, however many patterns there are and whatever the text is.
 *
 * States are numbers from 0, the state before any match. A state stands for the longest suffix of the text read so far
 * that begins a pattern.
 */
export class PatternAutomaton {
  /** Length of that suffix, by state. */
  readonly depth: Int32Array;
  /** Length of the longest pattern that ends here, by state; 0 for none. */
  readonly matchLength: Int32Array;
  readonly #failure: Int32Array;
  readonly #edges: EdgeTable;
  /** Where each byte leads from state 0. */
  readonly #start = new Int32Array(256);
  /** Which pairs of bytes begin a pattern. */
  readonly #pairs = new Uint8Array(65_536);

  /** Takes patterns of at least two bytes. */
  constructor(patterns: readonly Uint8Array[]) {
    const size = 1 + patterns.reduce((sum, pattern) => sum + pattern.length, 0);
    const trie = buildTrie(patterns, size);
    this.depth = trie.depth;
    this.matchLength = trie.matchLength;
    this.#edges = trie.edges;
    this.#failure = new Int32Array(trie.count);
    for (const pattern of patterns) this.#pairs[(at(pattern, 0) << 8) | at(pattern, 1)] = 1;
    for (const state of inOrderOfDepth(trie)) {
      const parent = at(trie.parent, state);
      const byte = at(trie.byte, state);
      if (parent === 0) this.#start[byte] = state;
      else this.#failure[state] = this.next(at(this.#failure, parent), byte);
      if (at(this.matchLength, state) === 0) {
        this.matchLength[state] = at(this.matchLength, at(this.#failure, state));
      }
    }
  }

  /** The state after one more byte. */
  next(from: number, byte: number): number {
    let state = from;
    while (state !== 0) {
      const next = this.#edges.get(state, byte);
      if (next !== 0) return next;
      state = at(this.#failure, state);
    }
    return at(this.#start, byte);
  }

  /** Whether a pattern stands in these bytes. */
  isIn(bytes: Uint8Array): boolean {
    let state = 0;
    let position = 0;
    while (position < bytes.length) {
      if (state === 0) {
        position = this.skip(bytes, position);
        if (position === bytes.length) return false;
      }
      state = this.next(state, at(bytes, position));
      if (at(this.matchLength, state) > 0) return true;
      position += 1;
    }
    return false;
  }

  /** The first position at which a pattern may begin; the length of the bytes if there is none. */
  skip(bytes: Uint8Array, from: number): number {
    const pairs = this.#pairs;
    const last = bytes.length - 1;
    let position = from;
    while (position < last && pairs[(at(bytes, position) << 8) | at(bytes, position + 1)] === 0) {
      position += 1;
    }
    return position === last && at(this.#start, at(bytes, last)) === 0 ? bytes.length : position;
  }
}

interface Trie {
  readonly count: number;
  readonly parent: Int32Array;
  readonly byte: Int32Array;
  readonly depth: Int32Array;
  readonly matchLength: Int32Array;
  readonly edges: EdgeTable;
}

function buildTrie(patterns: readonly Uint8Array[], size: number): Trie {
  const parent = new Int32Array(size);
  const byte = new Int32Array(size);
  const depth = new Int32Array(size);
  const matchLength = new Int32Array(size);
  const edges = new EdgeTable(size);
  let count = 1;
  for (const pattern of patterns) {
    let state = 0;
    for (const [index, symbol] of pattern.entries()) {
      let next = edges.get(state, symbol);
      if (next === 0) {
        next = count;
        count += 1;
        edges.set(state, symbol, next);
        parent[next] = state;
        byte[next] = symbol;
        depth[next] = index + 1;
      }
      state = next;
    }
    matchLength[state] = pattern.length;
  }
  return { count, parent, byte, depth, matchLength, edges };
}

/** All states but 0, shallow ones first: the failure of a state is always less deep than the state. */
function inOrderOfDepth({ count, depth }: Trie): number[] {
  const states = Array.from({ length: count - 1 }, (_, index) => index + 1);
  return states.sort((one, other) => at(depth, one) - at(depth, other));
}

/** A map from state and byte to state: open addressing, as a row for each state would cost far more memory. */
class EdgeTable {
  readonly #states: Int32Array;
  readonly #bytes: Int32Array;
  readonly #targets: Int32Array;
  readonly #mask: number;

  constructor(edges: number) {
    const capacity = 2 ** Math.ceil(Math.log2(2 * edges + 1));
    this.#states = new Int32Array(capacity);
    this.#bytes = new Int32Array(capacity);
    this.#targets = new Int32Array(capacity);
    this.#mask = capacity - 1;
  }

  /** The target, 0 for none. */
  get(state: number, byte: number): number {
    return at(this.#targets, this.#slot(state, byte));
  }

  set(state: number, byte: number, target: number): void {
    const slot = this.#slot(state, byte);
    this.#states[slot] = state;
    this.#bytes[slot] = byte;
    this.#targets[slot] = target;
  }

  #slot(state: number, byte: number): number {
    let slot = (Math.imul(state, 0x9e3779b1) ^ Math.imul(byte, 0x85ebca6b)) >>> 7;
    for (;;) {
      slot &= this.#mask;
      const isFree = at(this.#targets, slot) === 0;
      if (isFree || (at(this.#states, slot) === state && at(this.#bytes, slot) === byte))
        return slot;
      slot += 1;
    }
  }
}

function at(values: ArrayLike<number>, index: number): number {
  return values[index] ?? 0;
}
