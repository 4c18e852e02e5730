import type { StagedFile } from '@toolwright/core';
import { tooLarge } from './failures.ts';
import { OrderedHash } from './ordered-hash.ts';

/** What a sink needs beside the staged file. */
export interface FileSinkOptions {
  readonly maxBytes: number;
  /** Whether a digest is wanted at the end. */
  readonly isHashed: boolean;
  /** Told of every byte that arrived. */
  readonly onBytes: (count: number) => void;
}

/**
 * Where the bytes of a download go: the staged file, written at positions, with its size cap and its digest. `written` is
 * the length of the part at the start that is complete; what lies behind it may have holes.
 */
export class FileSink {
  readonly #staged: StagedFile;
  readonly #options: FileSinkOptions;
  readonly #hash: OrderedHash | undefined;
  #written: number;
  #hashing: Promise<void> = Promise.resolve();

  constructor(staged: StagedFile, options: FileSinkOptions) {
    this.#staged = staged;
    this.#options = options;
    this.#hash = options.isHashed ? new OrderedHash(staged) : undefined;
    this.#written = staged.initialSize;
  }

  /** Bytes from the start that are complete. */
  get written(): number {
    return this.#written;
  }

  /** Writes at the end of the complete part. */
  async append(chunk: Uint8Array): Promise<void> {
    await this.writeAt(this.#written, chunk);
    await this.complete(this.#written + chunk.length, chunk);
  }

  /** Writes anywhere. Errors: `limit_exceeded` past the cap. */
  async writeAt(position: number, chunk: Uint8Array): Promise<void> {
    if (position + chunk.length > this.#options.maxBytes) {
      throw tooLarge(this.#options.maxBytes);
    }
    await this.#staged.write(position, chunk);
    this.#options.onBytes(chunk.length);
  }

  /** Tells that everything before `end` is there. `chunk`: the bytes just written that end there. */
  async complete(end: number, chunk?: Uint8Array): Promise<void> {
    this.#written = Math.max(this.#written, end);
    const hash = this.#hash;
    if (hash !== undefined) {
      const before = this.#hashing;
      this.#hashing = advanceAfter(before, async () => hash.advance(end, chunk));
      await this.#hashing;
    }
  }

  /** Drops what was written behind the complete part. */
  async cutToComplete(): Promise<void> {
    await this.#staged.truncate(this.#written);
  }

  /** Begins again with an empty file. */
  async restart(): Promise<void> {
    await this.#hashing;
    await this.#staged.truncate(0);
    this.#written = 0;
    this.#hash?.reset();
  }

  /** The SHA-256 of the complete part; `undefined` when none was wanted. */
  async digest(): Promise<string | undefined> {
    await this.complete(this.#written);
    return this.#hash?.digest();
  }
}

async function advanceAfter(before: Promise<void>, advance: () => Promise<void>): Promise<void> {
  await before;
  await advance();
}
