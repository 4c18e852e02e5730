/** What a splitter tells. */
export interface LineReader {
  readonly onLine: (line: string) => void;
  /** A line was longer than this many bytes, and was skipped. */
  readonly onTooLong: (maxBytes: number) => void;
}

const lineFeed = 0x0a;

/** Cuts a stream of bytes into lines of bounded length. */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #reader: LineReader;
  #parts: Buffer[] = [];
  #bytes = 0;
  #isSkipping = false;

  constructor(maxBytes: number, reader: LineReader) {
    this.#maxBytes = maxBytes;
    this.#reader = reader;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  #keep(part: Buffer): void {
    if (this.#isSkipping) return;
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) {
      this.#isSkipping = true;
      this.#parts = [];
      this.#reader.onTooLong(this.#maxBytes);
    } else this.#parts.push(part);
  }

  #endLine(): void {
    const [only, ...more] = this.#parts;
    const isSkipped = this.#isSkipping;
    const line =
      only === undefined
        ? ''
        : (more.length === 0 ? only : Buffer.concat(this.#parts)).toString('utf8');
    this.#parts = [];
    this.#bytes = 0;
    this.#isSkipping = false;
    if (!isSkipped) this.#reader.onLine(line);
  }
}
