import { readdirSync, statSync } from 'node:fs';
import { isCredentialPath, isForeignTree } from '@toolwright/core';

/** Directories looked at, at most; the boundary of file tools has no such limit. */
const maxDirectories = 2000;

const maxDepth = 6;

interface Directory {
  readonly mtimeMs: number;
  readonly subdirectories: readonly string[];
  readonly found: readonly string[];
}

/**
 * Finds the credential files of a tree so that a sandbox can hide them: by the names that file tools
 * refuse too, in the first 2,000 directories down to six levels, dependency and build trees left out. A
 * directory is read again only when its modification time has changed.
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
    return found.map((path) => `${this.#root}/${path}`);
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
