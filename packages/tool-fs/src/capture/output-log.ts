/** Bytes of output that a job keeps for polling. */
const keptBytes = 524_288;

/** A piece of a log. */
export interface LogPage {
  readonly text: string;
  /** Where to go on. */
  readonly nextOffset: number;
  /** Bytes between the asked offset and the piece that are no longer kept. */
  readonly droppedBytes: number;
}

/** The output of a job as one sequence of bytes: the last 512 KiB are kept, offsets count from its start. */
export class OutputLog {
  #chunks: Uint8Array[] = [];
  #start = 0;
  #end = 0;

  /** Bytes that were written so far. */
  get end(): number {
    return this.#end;
  }

  /** Keeps a copy. */
  push(bytes: Uint8Array): void {
    this.#chunks.push(new Uint8Array(bytes));
    this.#end += bytes.length;
    while (this.#chunks.length > 1) {
      const oldest = this.#chunks[0]?.length ?? 0;
      if (this.#end - this.#start - oldest < keptBytes) return;
      this.#chunks.shift();
      this.#start += oldest;
    }
  }

  /**
   * Text from an offset, at most `maxBytes` of it, ending at a whole character; `complete` says that no
   * more will come, so that a cut character is shown as U+FFFD.
   */
  read(offset: number, maxBytes: number, complete: boolean): LogPage {
    const from = Math.max(offset, this.#start);
    const kept = Buffer.concat(this.#chunks);
    let bytes: Buffer = kept.subarray(from - this.#start, from - this.#start + maxBytes);
    const isLast = from + bytes.length === this.#end;
    if (!(complete && isLast)) bytes = wholeCharacters(bytes);
    return {
      text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes),
      nextOffset: from + bytes.length,
      droppedBytes: from - offset,
    };
  }
}

/** Without an unfinished character at the end. */
function wholeCharacters(bytes: Buffer): Buffer {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for (let back = 0; back < Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - 1 - back] ?? 0;
    if (byte < 0x80) return bytes.subarray(0, bytes.length - back);
    if (byte >= 0xc0) {
      const last = bytes.subarray(bytes.length - 1 - back);
      const unfinished = decoder.decode(last, { stream: true }) === '';
      return unfinished ? bytes.subarray(0, bytes.length - 1 - back) : bytes;
    }
  }
  return bytes;
}
