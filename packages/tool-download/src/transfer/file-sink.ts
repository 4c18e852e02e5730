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
  /** Reading back what came ahead of its turn; undefined when nothing is behind. */
  #catchingUp: Promise<void> | undefined;
  #failure: unknown;
  #isSettled = false;

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
    this.#hash.take(end, chunk);
    await writing;
    this.complete(end);
  }

  /** Writes anywhere. Errors: `limit_exceeded` past the cap. */
  async writeAt(position: number, chunk: Uint8Array): Promise<void> {
    if (position + chunk.length > this.#options.maxBytes) {
      throw tooLarge(this.#options.maxBytes);
    }
    await this.#staged.write(position, chunk);
    this.#options.onBytes(chunk.length);
  }

  /** Tells that everything before `end` is there. `chunk`: the bytes just written that end there. Nobody waits for the digest here. */
  complete(end: number, chunk?: Uint8Array): void {
    this.#written = Math.max(this.#written, end);
    if (chunk !== undefined) {
      this.#hash.take(end, chunk);
    }
    if (this.#hash.position < this.#written) {
      this.#catchingUp ??= this.#catchUp();
    }
  }

  /** Begins again with an empty file, for bytes of the version with this validator. */
  async restart(validator: string | undefined): Promise<void> {
    this.#validator = validator;
    this.#resumedFrom = 0;
    this.#written = 0;
    await this.#catchingUp;
    await this.#staged.truncate(0);
    this.#hash.reset();
    this.#failure = undefined;
  }

  /** Ends the file: its SHA-256, 64 lowercase hex digits, which the workspace need not compute again. Errors: those of reading back. */
  async finish(): Promise<string> {
    this.complete(this.#written);
    await this.#catchingUp;
    if (this.#failure !== undefined) {
      throw this.#failure;
    }
    const sha256 = this.#hash.digest();
    this.#staged.declareSha256(sha256);
    return sha256;
  }

  /** Waits until nothing is being read; what is there stays. */
  async settle(): Promise<void> {
    this.#isSettled = true;
    await this.#catchingUp;
  }

  async #catchUp(): Promise<void> {
    try {
      await this.#hash.catchUp(() => (this.#isSettled ? 0 : this.#written));
    } catch (error) {
      this.#failure = error;
    } finally {
      this.#catchingUp = undefined;
    }
  }
}
