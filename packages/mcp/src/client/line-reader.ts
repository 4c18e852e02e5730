/** What a server wrote, line by line. */
export interface LineHandlers {
  /** A line that is a JSON object. */
  message(value: object): void;
  /** A line that is none: text that went to the wrong stream. */
  noise(line: string): void;
  /** A line longer than the cap; `head` and `tail` are its first and last bytes, as text. */
  tooLong(line: { readonly bytes: number; readonly head: string; readonly tail: string }): void;
}

/** Bytes of an overlong line that are looked at, from each end. */
const GLIMPSE_BYTES = 512;

/** Splits a byte stream into JSON messages; what is no message is told and left out. */
export class LineReader {
  readonly #maxBytes: number;
  readonly #handlers: LineHandlers;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #dropped: { bytes: number; head: Buffer; tail: Buffer } | undefined;

  constructor(maxBytes: number, handlers: LineHandlers) {
    this.#maxBytes = maxBytes;
    this.#handlers = handlers;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      this.#add(chunk.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  #add(part: Buffer): void {
    if (this.#dropped === undefined && this.#bytes + part.length <= this.#maxBytes) {
      this.#chunks.push(part);
      this.#bytes += part.length;
      return;
    }
    if (this.#dropped === undefined) {
      const kept = Buffer.concat([...this.#chunks, part.subarray(0, GLIMPSE_BYTES)]);
      this.#dropped = {
        bytes: this.#bytes,
        head: Buffer.from(kept.subarray(0, GLIMPSE_BYTES)),
        tail: Buffer.alloc(0),
      };
      this.#chunks = [];
      this.#bytes = 0;
    }
    const { tail } = this.#dropped;
    this.#dropped.bytes += part.length;
    this.#dropped.tail = Buffer.concat([tail, part.subarray(-GLIMPSE_BYTES)]).subarray(
      -GLIMPSE_BYTES,
    );
  }

  #endLine(): void {
    const dropped = this.#dropped;
    if (dropped !== undefined) {
      this.#dropped = undefined;
      this.#handlers.tooLong({
        bytes: dropped.bytes,
        head: dropped.head.toString('utf8'),
        tail: dropped.tail.toString('utf8'),
      });
      return;
    }
    const [only] = this.#chunks;
    const line =
      only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#bytes = 0;
    const text = line.toString('utf8').replace(/^\uFEFF/, '');
    if (text.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#handlers.noise(text);
      return;
    }
    if (typeof value !== 'object' || value === null) this.#handlers.noise(text);
    // A batch of the revision that had them: its members, in order.
    else if (Array.isArray(value)) for (const item of value) this.#emit(item, text);
    else this.#emit(value, text);
  }

  #emit(value: unknown, line: string): void {
    if (typeof value === 'object' && value !== null && 'jsonrpc' in value) {
      this.#handlers.message(value);
    } else {
      this.#handlers.noise(line);
    }
  }
}
