import type { StagedFile } from '@toolwright/core';
import { tooLarge } from './failures.ts';
import { OrderedHash } from './ordered-hash.ts';

/** What a sink needs beside the staged file. */
export interface FileSinkOptions {
  readonly maxBytes: number;
  /** The version that bytes kept from an earlier call belong to. */
  readonly validator: string | undefined;
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
  readonly #hash: OrderedHash;
  #written: number;
  #validator: string | undefined;
  #resumedFrom: number;
  #hashing: Promise<void> = Promise.resolve();

  constructor(staged: StagedFile, options: FileSinkOptions) {
    this.#staged = staged;
    this.#options = options;
    this.#hash = new OrderedHash(staged);
    this.#written = staged.initialSize;
    this.#resumedFrom = staged.initialSize;
    this.#validator = options.validator;
  }

  /** The version that the bytes belong to, as for `If-Range`; `undefined` where parts of others must not be put to them. */
  get validator(): string | undefined {
    return this.#validator;
  }

  /** Bytes from the start that are complete. */
  get written(): number {
    return this.#written;
  }

  /** Bytes of an earlier call that were gone on with. */
  get resumedFrom(): number {
    return this.#resumedFrom;
  }

  /** Writes at the end of the complete part. The bytes are hashed while they are being written. */
  async append(chunk: Uint8Array): Promise<void> {
    const end = this.#written + chunk.length;
    const writing = this.writeAt(this.#written, chunk);
    const isHashed = this.#hash.take(end, chunk);
    await writing;
    await (isHashed ? this.complete(end) : this.complete(end, chunk));
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
    const before = this.#hashing;
    this.#hashing = advanceAfter(before, async () => this.#hash.advance(end, chunk));
    await this.#hashing;
  }

  /** Begins again with an empty file, for bytes of the version with this validator. */
  async restart(validator: string | undefined): Promise<void> {
    this.#validator = validator;
    this.#resumedFrom = 0;
    await this.#hashing;
    await this.#staged.truncate(0);
    this.#written = 0;
    this.#hash.reset();
  }

  /** Ends the file: its SHA-256, 64 lowercase hex digits, which the workspace need not compute again. */
  async finish(): Promise<string> {
    await this.complete(this.#written);
    const sha256 = this.#hash.digest();
    this.#staged.declareSha256(sha256);
    return sha256;
  }
}

async function advanceAfter(before: Promise<void>, advance: () => Promise<void>): Promise<void> {
  await before;
  await advance();
}
