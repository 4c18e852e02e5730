import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import type { StagedFile } from '@toolwright/core';

/** Bytes read back at a time. */
const READ_BACK_BYTES = 1024 * 1024;

/**
 * The SHA-256 of a staged file, taken while it is written: bytes that come in order are hashed as they pass, what was written ahead of
 * its turn is read back when the gap before it has closed. Calls must not overlap.
 */
export class OrderedHash {
  readonly #staged: StagedFile;
  #hash: Hash = createHash('sha256');
  #position = 0;
  /** Two buffers to read back into, made when the first gap closes: one is filled while the other is hashed. */
  readonly #buffers: Uint8Array[] = [];
  #turn = 0;

  constructor(staged: StagedFile) {
    this.#staged = staged;
  }

  /** Hashes bytes that end at `end` if they are the next ones, else does nothing. */
  take(end: number, chunk: Uint8Array): boolean {
    if (end - chunk.length !== this.#position) {
      return false;
    }
    this.#hash.update(chunk);
    this.#position = end;
    return true;
  }

  /** Tells that everything before `end` is written; `chunk` are the bytes just written that end there, if any do. */
  async advance(end: number, chunk?: Uint8Array): Promise<void> {
    if (chunk !== undefined) {
      this.take(end, chunk);
    }
    let reading = this.#readBack(end);
    while (this.#position < end) {
      const bytes = await reading;
      if (bytes.length === 0) {
        throw new TypeError('The staged file is shorter than what was written to it.');
      }
      this.#position += bytes.length;
      // The next bytes are read while these are hashed.
      reading = this.#readBack(end);
      this.#hash.update(bytes);
    }
  }

  async #readBack(end: number): Promise<Uint8Array> {
    const length = Math.min(end - this.#position, READ_BACK_BYTES);
    if (length <= 0) {
      return new Uint8Array();
    }
    this.#turn = 1 - this.#turn;
    const buffer = (this.#buffers[this.#turn] ??= new Uint8Array(READ_BACK_BYTES));
    return this.#staged.read(this.#position, length, buffer);
  }

  /** Begins again with an empty file. */
  reset(): void {
    this.#hash = createHash('sha256');
    this.#position = 0;
  }

  /** 64 lowercase hex digits over everything before the last {@link advance}. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }
}
