import { ToolError } from '../../errors/tool-error.ts';
import type { DirectoryEntry } from '../files.ts';
import { compareUtf8 } from '../workspace-path.ts';
import type { WalkEntry, WalkOptions, WorkspaceWalker } from '../walker.ts';
import type { MemoryFiles } from './memory-files.ts';

/** Walking of a memory workspace; it has no ignore files, and never enters `.git`. */
export class MemoryWalker implements WorkspaceWalker {
  readonly #files: MemoryFiles;

  constructor(files: MemoryFiles) {
    this.#files = files;
  }

  async *walk(options: WalkOptions = {}): AsyncGenerator<readonly WalkEntry[]> {
    if (options.include !== undefined || options.exclude !== undefined) {
      throw new ToolError('unsupported', 'This workspace cannot match globs; walk without one.');
    }
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
    for (const { name, kind } of (await this.#files.list(directory)).toSorted(byPath)) {
      if (name === '.git' || (options.hidden === false && name.startsWith('.'))) continue;
      const path = directory === '' ? name : `${directory}/${name}`;
      if (kind !== 'directory' || options.directories === true) yield [{ path, kind }];
      if (kind === 'directory') yield* this.#walkDirectory(path, depth + 1, options);
    }
  }
}

/** A directory sorts as if its name ended in a slash: then whole paths are in byte order. */
function byPath(a: DirectoryEntry, b: DirectoryEntry): number {
  return compareUtf8(orderKey(a), orderKey(b));
}

function orderKey({ name, kind }: DirectoryEntry): string {
  return kind === 'directory' ? `${name}/` : name;
}
