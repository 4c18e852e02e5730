/** Numbers of a term: where its first block begins, where its next posting goes, where its last block ends, how many that holds. */
const termLength = 4;
/** Postings of a block at most. The first of a term holds one, each further one twice as many. */
const largestBlock = 64;

/**
 * In which documents terms occur and how often, for documents that come one after the other. All postings stand in one
 * array, those of a term in blocks that are linked: adding one allocates nothing, whether terms are many or common.
 */
export class PostingLists {
  /** Document, frequency, document, frequency …; after each block the place of the next one. */
  #numbers = new Int32Array(1 << 14);
  #used = 1;
  #terms = new Int32Array(1 << 12);
  #reading = new Int32Array(1 << 8);

  /** Counts an occurrence of a term in a document: the last one that was told of, or a later one. */
  add(term: number, doc: number): void {
    const record = term * termLength;
    if (record >= this.#terms.length) this.#terms = longer(this.#terms, record + termLength);
    const terms = this.#terms;
    const end = terms[record + 1] ?? 0;
    const numbers = this.#numbers;
    if (end > 0 && numbers[end - 2] === doc) {
      numbers[end - 1] = (numbers[end - 1] ?? 0) + 1;
      return;
    }
    const place = end === (terms[record + 2] ?? 0) ? this.#addBlock(record) : end;
    this.#numbers[place] = doc;
    this.#numbers[place + 1] = 1;
    terms[record + 1] = place + 2;
  }

  /** The postings of a term: document, frequency, document, frequency … Void after the next reading. */
  read(term: number): Int32Array {
    const record = term * termLength;
    const end = this.#terms[record + 1] ?? 0;
    let place = this.#terms[record] ?? 0;
    let count = 0;
    for (let size = 1; place > 0; size = Math.min(size * 2, largestBlock)) {
      const limit = place + size * 2;
      const isLast = limit === this.#terms[record + 2];
      const block = this.#numbers.subarray(place, isLast ? end : limit);
      const length = count + block.length;
      if (length > this.#reading.length) this.#reading = longer(this.#reading, length);
      this.#reading.set(block, count);
      count = length;
      place = isLast ? 0 : (this.#numbers[limit] ?? 0);
    }
    return this.#reading.subarray(0, count);
  }

  /** Gives a term a further block; returns where it begins. */
  #addBlock(record: number): number {
    const terms = this.#terms;
    const before = terms[record + 2] ?? 0;
    const size = Math.min(Math.max((terms[record + 3] ?? 0) * 2, 1), largestBlock);
    const place = this.#used;
    this.#used += size * 2 + 1;
    if (this.#used > this.#numbers.length) this.#numbers = longer(this.#numbers, this.#used);
    if (before === 0) terms[record] = place;
    else this.#numbers[before] = place;
    terms[record + 2] = place + size * 2;
    terms[record + 3] = size;
    return place;
  }
}

/** A longer copy: twice as long, or more if need be. */
function longer(numbers: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(Math.max(numbers.length * 2, length));
  copy.set(numbers);
  return copy;
}
