import { MalformedHead } from './response-head.ts';

/** Bytes of one size line or trailer line; extensions are skipped, not kept. */
const MAX_LINE_BYTES = 4096;
/** Bytes of all trailers together. */
const MAX_TRAILER_BYTES = 16_384;

/**
 * Undoes the chunked transfer coding (RFC 9112, section 7.1) piece by piece, without copying. Strict: sizes in hexadecimal alone, lines
 * that end in CRLF. `rest` is what came behind the last chunk.
 */
export class ChunkDecoder {
  #state: 'size' | 'data' | 'after' | 'trailer' | 'done' = 'size';
  #line = '';
  #left = 0;
  #trailerBytes = 0;
  #restBytes = 0;

  /** Whether the body has come to its end. */
  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** Whether bytes followed that do not belong to the body. */
  get hasSurplus(): boolean {
    return this.#restBytes > 0;
  }

  /** The content in the next bytes; views into `bytes`. Errors: `MalformedHead`. */
  *push(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
    let position = 0;
    while (position < bytes.length && this.#state !== 'done') {
      if (this.#state === 'data') {
        const end = Math.min(position + this.#left, bytes.length);
        yield bytes.subarray(position, end);
        this.#left -= end - position;
        position = end;
        this.#state = this.#left === 0 ? 'after' : 'data';
      } else {
        position = this.#takeLine(bytes, position);
      }
    }
    this.#restBytes += bytes.length - position;
  }

  /** Collects a line; acts on it when it is complete. Returns the position behind what was taken. */
  #takeLine(bytes: Uint8Array, position: number): number {
    const end = bytes.indexOf(0x0a, position);
    const stop = end === -1 ? bytes.length : end + 1;
    this.#line += Buffer.from(bytes.subarray(position, stop)).toString('latin1');
    if (this.#line.length > MAX_LINE_BYTES) {
      throw new MalformedHead('A line of the chunked body is too long.');
    }
    if (end !== -1) {
      const line = this.#line;
      this.#line = '';
      if (!line.endsWith('\r\n')) {
        throw new MalformedHead('A line of the chunked body ends without a carriage return.');
      }
      this.#onLine(line.slice(0, -2));
    }
    return stop;
  }

  #onLine(line: string): void {
    if (this.#state === 'after') {
      if (line !== '') {
        throw new MalformedHead('A chunk is longer than it says.');
      }
      this.#state = 'size';
      return;
    }
    if (this.#state === 'trailer') {
      this.#trailerBytes += line.length;
      if (this.#trailerBytes > MAX_TRAILER_BYTES) {
        throw new MalformedHead('The trailers are too large.');
      }
      this.#state = line === '' ? 'done' : 'trailer';
      return;
    }
    const size = /^([\da-f]{1,12})(?:[ \t]*;[\t\u0020-\u007e\u0080-\u00ff]*)?$/iu.exec(line)?.[1];
    if (size === undefined) {
      throw new MalformedHead('The size of a chunk is no number.');
    }
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? 'trailer' : 'data';
  }
}
