import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import type { StagedFile } from '@toolwright/core';

/** Bytes read back at a time. */
const READ_BACK_BYTES = 1024 * 1024;

/**
 * The SHA-256 of a staged file, taken while it is written: bytes that come in order are hashed as they pass, what was written ahead of
 * its turn is read back when the gap before it has closed.
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

  /** Bytes from the start that are hashed. */
  get position(): number {
    return this.#position;
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

  /**
   * Reads back what is written and not hashed, up to where `target` says, which may move meanwhile; a target that has moved back ends it
   * soon. Calls must not overlap.
   */
  async catchUp(target: () => number): Promise<void> {
    let ahead: Promise<Uint8Array> | undefined;
    try {
      while (this.#position < target()) {
        const bytes = await (ahead ?? this.#readBack(this.#position, target()));
        ahead = undefined;
        if (bytes.length === 0) {
          throw new TypeError('The staged file is shorter than what was written to it.');
        }
        const next = this.#position + bytes.length;
        // The next bytes are read while these are hashed.
        ahead = next < target() ? this.#readBack(next, target()) : undefined;
        this.#hash.update(bytes);
        this.#position = next;
      }
    } finally {
      // Nothing is being read when this has ended.
      await ahead?.catch(() => {});
    }
  }

  /** Begins again with an empty file. */
  reset(): void {
    this.#hash = createHash('sha256');
    this.#position = 0;
  }

  /** 64 lowercase hex digits over everything that is hashed. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }

  async #readBack(start: number, end: number): Promise<Uint8Array> {
    this.#turn = 1 - this.#turn;
    const buffer = (this.#buffers[this.#turn] ??= new Uint8Array(READ_BACK_BYTES));
    return this.#staged.read(start, Math.min(end - start, READ_BACK_BYTES), buffer);
  }
}
