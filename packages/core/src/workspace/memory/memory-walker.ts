import type { WalkEntry, WalkOptions, WorkspaceWalker } from '../walker.ts';
import type { MemoryFiles } from './memory-files.ts';

/** Walking of a memory workspace; it has no ignore files, and never enters `.git`. */
export class MemoryWalker implements WorkspaceWalker {
  readonly #files: MemoryFiles;

  constructor(files: MemoryFiles) {
    this.#files = files;
  }

  async *walk(options: WalkOptions = {}): AsyncGenerator<readonly WalkEntry[]> {
    const start = (await this.#files.stat(options.path ?? '')).path;
    yield* this.#walkDirectory(start, 1, options);
  }

  async isIgnored(): Promise<boolean> {
    return false;
  }

  async *#walkDirectory(
    directory: string,
    depth: number,
    options: WalkOptions,
  ): AsyncGenerator<readonly WalkEntry[]> {
    options.signal?.throwIfAborted();
    if (depth > (options.maxDepth ?? Infinity)) return;
    for (const { name, kind } of await this.#files.list(directory)) {
      if (name === '.git' || (options.hidden === false && name.startsWith('.'))) continue;
      const path = directory === '' ? name : `${directory}/${name}`;
      if (kind !== 'directory' || options.directories === true) yield [{ path, kind }];
      if (kind === 'directory') yield* this.#walkDirectory(path, depth + 1, options);
    }
  }
}
