import { closeSync, constants, fstatSync, lstatSync, openSync, read } from 'node:fs';
import { promisify } from 'node:util';
import {
  pathNotFound,
  ToolError,
  type CancelOptions,
  type DirectoryEntry,
  type FileKind,
  type FileReader,
  type FileStat,
  type FileReadOptions,
  type WorkspaceFiles,
} from '@toolwright/core';
import type { CredentialBoundary } from './credential-boundary.ts';
import { kindOf, toFileStat } from './file-stat.ts';
import { listDirectory } from './list-directory.ts';
import { codeOf, nameTooLong, notADirectory, unreadable, type LocalPaths } from './local-paths.ts';
import { openedPath } from './opened-path.ts';

const readDescriptor = promisify(read);

/** Reading of a local directory. */
export class LocalFiles implements WorkspaceFiles {
  readonly #paths: LocalPaths;
  readonly #credentials: CredentialBoundary;

  constructor(paths: LocalPaths, credentials: CredentialBoundary) {
    this.#paths = paths;
    this.#credentials = credentials;
  }

  async stat(
    path: string,
    options: CancelOptions & { readonly followLinks?: boolean } = {},
  ): Promise<FileStat> {
    options.signal?.throwIfAborted();
    const found = this.#paths.resolve(path, options.followLinks === false ? 'keep' : 'follow');
    if (!found.exists) throw pathNotFound(path);
    return toFileStat(found.path, statOf(found.absolute, path));
  }

  async list(path: string, options: CancelOptions = {}): Promise<readonly DirectoryEntry[]> {
    options.signal?.throwIfAborted();
    const found = this.#paths.resolve(path);
    if (!found.exists) throw pathNotFound(path);
    try {
      return await listDirectory(found.absolute, options.signal);
    } catch (error) {
      throw toReadError(path, error);
    }
  }

  async openRead(path: string, options: CancelOptions = {}): Promise<FileReader> {
    options.signal?.throwIfAborted();
    const found = this.#paths.resolve(path);
    if (!found.exists) throw pathNotFound(path);
    this.#credentials.assertPath(found.path, path);
    // A special file is never opened; what takes its place between here and there cannot block the open.
    assertRegular(kindOf(statOf(found.absolute, path)), path);
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    let descriptor: number;
    try {
      descriptor = openSync(found.absolute, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
    } catch (error) {
      throw toReadError(path, error);
    }
    try {
      const real = openedPath(this.#paths, descriptor, { absolute: found.absolute, shown: path });
      this.#credentials.assertPath(real, path);
      const stat = fstatSync(descriptor, { bigint: true });
      assertRegular(kindOf(stat), path);
      this.#credentials.assertIdentity(stat, path);
      return new LocalReader(descriptor, toFileStat(real, stat));
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }
}

class LocalReader implements FileReader {
  readonly stat: FileStat;
  readonly #descriptor: number;
  #closed = false;

  constructor(descriptor: number, stat: FileStat) {
    this.#descriptor = descriptor;
    this.stat = stat;
  }

  async read(start: number, length: number, options: FileReadOptions = {}): Promise<Uint8Array> {
    // A file that grows meanwhile is read as far as it is asked for; the buffer is no larger than the file was,
    // so that a length of "everything" costs nothing.
    const wanted = Math.max(0, Math.min(length, Math.max(this.stat.size - start, 65_536)));
    const { into } = options;
    const buffer =
      into !== undefined && into.length >= wanted
        ? into.subarray(0, wanted)
        : Buffer.allocUnsafeSlow(wanted);
    let filled = 0;
    while (filled < wanted) {
      options.signal?.throwIfAborted();
      const { bytesRead } = await readDescriptor(
        this.#descriptor,
        buffer,
        filled,
        wanted - filled,
        start + filled,
      );
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled === wanted ? buffer : buffer.subarray(0, filled);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    // Nothing was written, so closing cannot wait for anything.
    closeSync(this.#descriptor);
  }
}

function statOf(absolute: string, shown: string) {
  try {
    return lstatSync(absolute, { bigint: true });
  } catch (error) {
    throw toReadError(shown, error);
  }
}

/** The typed form of what the system says about a path. */
export function toReadError(path: string, error: unknown): unknown {
  switch (codeOf(error)) {
    case 'ENOENT':
      return pathNotFound(path);
    case 'ENOTDIR':
      return notADirectory(path);
    case 'EACCES':
    case 'EPERM':
    case 'ELOOP':
    case 'EROFS':
      return unreadable(path, error);
    case 'ENAMETOOLONG':
      return nameTooLong(path, error);
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new ToolError(
        'limit_exceeded',
        `There is no room on the disk for ${JSON.stringify(path)}; nothing was changed.`,
        { reason: 'disk_full', fields: { path }, cause: error },
      );
    default:
      return error;
  }
}

/** Refuses everything but a regular file, saying what is there. */
export function assertRegular(kind: FileKind, path: string): void {
  if (kind === 'file') return;
  const advice = kind === 'directory' ? 'list it instead' : 'special files are never opened';
  throw new ToolError(
    'invalid_argument',
    `${JSON.stringify(path)} is a ${kind.replaceAll('_', ' ')}, not a regular file; ${advice}.`,
    { reason: 'not_a_file', fields: { path } },
  );
}
