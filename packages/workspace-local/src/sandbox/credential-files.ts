import { lstatSync, readdirSync, statSync, type Dirent } from 'node:fs';
import { isCredentialPath, isForeignTree } from '@toolwright/core';

/** Directories looked at, at most; the boundary of file tools has no such limit. */
const maxDirectories = 2000;

const maxDepth = 6;

/** Directories that are looked through for hard links to credential files, at most. */
const maxLinkDirectories = 20_000;

interface Directory {
  readonly mtimeMs: number;
  readonly subdirectories: readonly string[];
  readonly found: readonly string[];
}

/**
 * Finds the credential files of a tree so that a sandbox can hide them: by the names that file tools
 * refuse too, in the first 2,000 directories down to six levels, dependency and build trees left out, and
 * hard links to those files wherever in the tree. A directory is read again only when its modification time
 * has changed.
 */
export class CredentialFiles {
  readonly #root: string;
  #known = new Map<string, Directory>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Absolute paths of what is there now, without what lies below a path already named. */
  find(): readonly string[] {
    const known = new Map<string, Directory>();
    const found: string[] = [];
    const queue = [{ path: '', depth: 0 }];
    for (const { path, depth } of queue) {
      if (known.size >= maxDirectories) break;
      const directory = this.#look(path);
      if (directory === null) continue;
      known.set(path, directory);
      found.push(...directory.found);
      if (depth < maxDepth) {
        for (const below of directory.subdirectories) queue.push({ path: below, depth: depth + 1 });
      }
    }
    this.#known = known;
    return [...found, ...this.#otherNames(found)].map((path) => `${this.#root}/${path}`);
  }

  /** Hard links to credential files. Few files have several names, so the tree is looked through only for those. */
  #otherNames(found: readonly string[]): readonly string[] {
    const identities = new Set(found.flatMap((path) => this.#identityOf(path) ?? []));
    if (identities.size === 0) return [];
    const credentials = new Set(found);
    const names: string[] = [];
    const directories = [''];
    for (const [index, directory] of directories.entries()) {
      if (index >= maxLinkDirectories) break;
      for (const entry of entriesOf(directory === '' ? this.#root : `${this.#root}/${directory}`)) {
        const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
        if (entry.isDirectory()) directories.push(path);
        else if (entry.isFile() && !credentials.has(path)) {
          if (identities.has(this.#identityOf(path) ?? '')) names.push(path);
        }
      }
    }
    return names;
  }

  /** What tells a file with several names from others; null for one with a single name, and for what is no file. */
  #identityOf(path: string): string | null {
    try {
      const { dev, ino, nlink, mode } = lstatSync(`${this.#root}/${path}`, { bigint: true });
      const isFile = (mode & 0o170000n) === 0o100000n;
      return isFile && nlink > 1n ? `${dev}:${ino}` : null;
    } catch {
      return null;
    }
  }

  #look(path: string): Directory | null {
    const absolute = path === '' ? this.#root : `${this.#root}/${path}`;
    try {
      const { mtimeMs } = statSync(absolute);
      const before = this.#known.get(path);
      if (before?.mtimeMs === mtimeMs) return before;
      const subdirectories: string[] = [];
      const found: string[] = [];
      for (const entry of readdirSync(absolute, { withFileTypes: true })) {
        const below = path === '' ? entry.name : `${path}/${entry.name}`;
        if (isCredentialPath(below)) found.push(below);
        else if (entry.isDirectory() && !isForeignTree(below)) subdirectories.push(below);
      }
      return { mtimeMs, subdirectories, found };
    } catch {
      return null; // gone or closed to us, and so to the command
    }
  }
}

function entriesOf(absolute: string): readonly Dirent[] {
  try {
    return readdirSync(absolute, { withFileTypes: true });
  } catch {
    return []; // gone or closed to us, and so to the command
  }
}
