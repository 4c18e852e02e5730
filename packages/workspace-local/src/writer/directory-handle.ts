import { closeSync, constants, fsync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { promisify } from 'node:util';
import type { LocalPaths } from '../files/local-paths.ts';
import { openedPath } from '../files/opened-path.ts';

const sync = promisify(fsync);

/**
 * An open directory of the workspace, through which names in it are reached. On Linux the descriptor itself is
 * the way (as `openat` would go), so that a directory exchanged for a link cannot lead elsewhere; on other
 * systems names are reached by path, which leaves the moment between look and use.
 */
export class DirectoryHandle {
  readonly #descriptor: number;
  readonly #absolute: string;
  #closed = false;

  /** Errors: `outside_workspace`, and those of the system. */
  constructor(paths: LocalPaths, absolute: string, shown: string) {
    this.#absolute = absolute;
    this.#descriptor = openSync(
      absolute,
      constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0),
    );
    try {
      openedPath(paths, this.#descriptor, { absolute, shown });
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** The path by which a name in the directory is reached. */
  at(name: string): string {
    return process.platform === 'linux'
      ? `/proc/self/fd/${this.#descriptor}/${name}`
      : `${this.#absolute}${sep}${name}`;
  }

  /** Makes renames in the directory durable. */
  async sync(): Promise<void> {
    if (process.platform !== 'win32') await sync(this.#descriptor);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#descriptor);
  }
}

/** The deepest directory above a path that exists. */
export function existingParent(absolute: string): string {
  for (let end = absolute.lastIndexOf(sep); end > 0; end = absolute.lastIndexOf(sep, end - 1)) {
    const parent = absolute.slice(0, end);
    try {
      return realpathSync.native(parent);
    } catch {
      // Not there yet; its own parent may be.
    }
  }
  return sep;
}

/** Creates the missing directories down to `absolute`; those that were made, the outermost first. */
export function makeDirectories(absolute: string): readonly string[] {
  const base = existingParent(absolute + sep);
  const made: string[] = [];
  let directory = base;
  for (const name of absolute.slice(base.length).split(sep).filter(Boolean)) {
    directory = `${directory}${directory.endsWith(sep) ? '' : sep}${name}`;
    try {
      mkdirSync(directory);
      made.push(directory);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
  return made;
}
