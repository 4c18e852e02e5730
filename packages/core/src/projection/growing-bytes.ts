/** Bytes that grow at the end and can be shortened at the beginning. */
export class GrowingBytes {
  #buffer = new Uint8Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Copies bytes to the end. */
  append(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
      grown.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = grown;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length = needed;
  }

  /** Forgets all but the last `count` bytes. */
  keepLast(count: number): void {
    if (count >= this.#length) return;
    this.#buffer.copyWithin(0, this.#length - count, this.#length);
    this.#length = count;
  }

  /** Forgets everything. */
  clear(): void {
    this.#length = 0;
  }

  /** The bytes as they are now, not copied: valid until the next change. */
  view(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }
}
