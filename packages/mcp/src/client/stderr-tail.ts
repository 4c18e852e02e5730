/** The last bytes of what a server writes beside the protocol; everything is read, so that it never blocks. */
export class StderrTail {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk.length > this.#maxBytes ? chunk.subarray(-this.#maxBytes) : chunk);
    this.#bytes += Math.min(chunk.length, this.#maxBytes);
    if (this.#bytes < this.#maxBytes * 2) return;
    const kept = Buffer.concat(this.#chunks).subarray(-this.#maxBytes);
    this.#chunks = [kept];
    this.#bytes = kept.length;
  }

  /** At most the bound, as text; a character that was cut is left out. */
  text(): string {
    const kept = Buffer.concat(this.#chunks).subarray(-this.#maxBytes);
    let start = 0;
    while (start < 4 && ((kept[start] ?? 0) & 0xc0) === 0x80) start += 1;
    return kept.subarray(start).toString('utf8');
  }

  lastLine(): string {
    return this.text().trimEnd().split('\n').at(-1)?.trim() ?? '';
  }
}
