import {
  close,
  constants,
  fchmod,
  fchown,
  fstat,
  fsync,
  ftruncate,
  open,
  read,
  write,
} from 'node:fs';
import { promisify } from 'node:util';
import type { BigIntStats } from 'node:fs';
import type { StagedFile } from '@toolwright/core';
import { hashDescriptor } from './file-hash.ts';

const openFile = promisify(open);
const closeFile = promisify(close);
const readFile = promisify(read);
const writeFile = promisify(write);
const truncateFile = promisify(ftruncate);
const syncFile = promisify(fsync);
const statFile = promisify(fstat);
const changeMode = promisify(fchmod);
const changeOwner = promisify(fchown);

/** The bytes of a change, in a file of their own beside the target until they take its place. */
export class StagedBytes implements StagedFile {
  readonly initialSize: number;
  readonly #descriptor: number;
  #size: number;
  #sha256: string | undefined;
  #closed = false;

  private constructor(descriptor: number, initialSize: number) {
    this.#descriptor = descriptor;
    this.initialSize = initialSize;
    this.#size = initialSize;
  }

  /** Creates the file, which must not exist; or goes on with one that was kept. */
  static async open(absolute: string, kept?: { readonly size: number }): Promise<StagedBytes> {
    const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const flags = kept === undefined ? O_CREAT | O_EXCL : 0;
    const descriptor = await openFile(absolute, O_RDWR | (O_NOFOLLOW ?? 0) | flags, 0o666);
    return new StagedBytes(descriptor, kept?.size ?? 0);
  }

  async read(start: number, length: number, into?: Uint8Array): Promise<Uint8Array> {
    const wanted = Math.max(0, Math.min(length, this.#size - start));
    const buffer =
      into !== undefined && into.length >= wanted
        ? into.subarray(0, wanted)
        : Buffer.allocUnsafeSlow(wanted);
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await readFile(
        this.#descriptor,
        buffer,
        filled,
        buffer.length - filled,
        start + filled,
      );
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  }

  async write(position: number, bytes: Uint8Array): Promise<void> {
    this.#sha256 = undefined;
    let done = 0;
    while (done < bytes.length) {
      const { bytesWritten } = await writeFile(
        this.#descriptor,
        bytes,
        done,
        bytes.length - done,
        position + done,
      );
      done += bytesWritten;
    }
    this.#size = Math.max(this.#size, position + bytes.length);
  }

  async truncate(size: number): Promise<void> {
    this.#sha256 = undefined;
    await truncateFile(this.#descriptor, size);
    this.#size = size;
  }

  declareSha256(sha256: string): void {
    this.#sha256 = sha256;
  }

  /** SHA-256 of the content, 64 lowercase hex digits. */
  async sha256(): Promise<string> {
    return (this.#sha256 ??= await hashDescriptor(this.#descriptor, this.#size));
  }

  /** Takes over mode and owner of the file that will be replaced, and sets permission bits as asked. */
  async adopt(
    replaced: BigIntStats | undefined,
    {
      executable,
      mode: asked,
    }: { readonly executable?: boolean | undefined; readonly mode?: number | undefined },
  ): Promise<void> {
    const { uid, gid } = ownIds();
    if (replaced !== undefined && (Number(replaced.uid) !== uid || Number(replaced.gid) !== gid)) {
      try {
        await changeOwner(this.#descriptor, Number(replaced.uid), Number(replaced.gid));
      } catch {
        // Only root may give files away; then the new file is the writer's, as with every editor.
      }
    }
    if (replaced === undefined && executable !== true && asked === undefined) return;
    const mode =
      asked === undefined
        ? Number((replaced ?? (await statFile(this.#descriptor, { bigint: true }))).mode & 0o7777n)
        : asked & 0o777;
    await changeMode(this.#descriptor, withExecutable(mode, executable));
  }

  /** Makes the content durable and closes the file. */
  async seal(): Promise<void> {
    if (this.#closed) return;
    await syncFile(this.#descriptor);
    await this.close();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await closeFile(this.#descriptor);
  }
}

/** A mode with the executable bits set where it can be read, or cleared. */
export function withExecutable(mode: number, executable: boolean | undefined): number {
  if (executable === undefined) return mode;
  return executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
}

function ownIds(): { readonly uid: number; readonly gid: number } {
  return { uid: process.geteuid?.() ?? -1, gid: process.getegid?.() ?? -1 };
}
