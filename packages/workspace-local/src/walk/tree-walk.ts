import type { WalkEntry } from '@toolwright/core';
import type { IgnoreScope } from '../ignore/ignore-rules.ts';
import { readTreeDirectory, type TreeEntry, type TreeFilter } from './read-tree-directory.ts';

/** Where a walk could not look. */
export interface WalkProblem {
  readonly path: string;
  /** `permission`, `gone`, `name_too_long` or `unreadable`. */
  readonly reason: string;
}

/** What to walk. */
export interface TreeWalkOptions extends TreeFilter {
  /** Absolute real path of the tree's root, with `/`. */
  readonly root: string;
  /** Relative path of the directory to begin in; `''` is the root. */
  readonly start: string;
  /** Also yield directories, each before its own entries. */
  readonly directories: boolean;
  /** Levels below `start`; 1 is its own entries. */
  readonly maxDepth: number;
  /** Whether a directory (relative to `root`) is worth entering. Default: all are. */
  readonly mayEnter?: (path: string) => boolean;
}

interface Frame {
  /** Relative path with a trailing slash, or `''`. */
  readonly prefix: string;
  readonly entries: readonly TreeEntry[];
  readonly scope: IgnoreScope | undefined;
  next: number;
}

/**
 * Walks a tree step by step, depth first, in the byte order of whole paths. Links are not followed. The
 * caller decides how much is done at a time; between steps nothing is open.
 */
export class TreeWalk {
  readonly problems: WalkProblem[] = [];
  readonly #options: TreeWalkOptions;
  readonly #frames: Frame[] = [];
  /** Directories read since the caller last looked. */
  #reads = 0;

  constructor(options: TreeWalkOptions) {
    this.#options = options;
    // The rules inside `start` itself are told by its listing, without asking the disk for files that are not there.
    const outer = options.start.slice(0, Math.max(options.start.lastIndexOf('/'), 0));
    this.#enter(options.start, options.rules?.scopeOf(absolutePath(options.root, outer)));
  }

  /**
   * The next entries in order: at most `maxEntries`, and after `maxReads` directories it returns what it
   * has. Undefined at the end; an empty batch is none.
   */
  next(maxEntries: number, maxReads = Number.MAX_SAFE_INTEGER): WalkEntry[] | undefined {
    const batch: WalkEntry[] = [];
    this.#reads = 0;
    while (batch.length < maxEntries && this.#reads < maxReads) {
      const frame = this.#frames.at(-1);
      if (frame === undefined) return batch.length === 0 ? undefined : batch;
      const entry = frame.entries[frame.next];
      frame.next += 1;
      if (entry === undefined) {
        this.#frames.pop();
        continue;
      }
      const path = frame.prefix + entry.name;
      const isDirectory = entry.kind === 'directory';
      if (!isDirectory || this.#options.directories) batch.push({ path, kind: entry.kind });
      if (isDirectory && this.#wants(path)) this.#enter(path, frame.scope);
    }
    return batch;
  }

  #wants(path: string): boolean {
    const { maxDepth, mayEnter } = this.#options;
    return this.#frames.length < maxDepth && (mayEnter?.(path) ?? true);
  }

  /** What has not been walked yet, outermost last: the open directories, by relative path. */
  pending(): string[] {
    return this.#frames.flatMap(({ entries, next, prefix }) =>
      next < entries.length ? [prefix === '' ? '.' : prefix.slice(0, -1)] : [],
    );
  }

  #enter(path: string, outer: IgnoreScope | undefined): void {
    this.#reads += 1;
    const directory = absolutePath(this.#options.root, path);
    try {
      const { entries, scope } = readTreeDirectory(directory, outer, this.#options);
      this.#frames.push({ prefix: path === '' ? '' : `${path}/`, entries, scope, next: 0 });
    } catch (error) {
      this.problems.push({ path, reason: reasonOf(error) });
    }
  }
}

/** The absolute path of a relative one under a root, with `/`. */
export function absolutePath(root: string, path: string): string {
  if (path === '') return root;
  return root === '/' ? `/${path}` : `${root}/${path}`;
}

/** A stable word for why a path could not be read. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'permission';
    case 'ENOENT':
    case 'ENOTDIR':
      return 'gone';
    case 'ENAMETOOLONG':
      return 'name_too_long';
    case 'ELOOP':
      return 'symlink';
    default:
      return 'unreadable';
  }
}
