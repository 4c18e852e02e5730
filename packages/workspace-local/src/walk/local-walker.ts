import { lstatSync } from 'node:fs';
import {
  pathNotFound,
  ToolError,
  type CancelOptions,
  type WalkEntry,
  type WalkOptions,
  type WorkspaceWalker,
} from '@toolwright/core';
import { IgnoreRules, toPosix } from '../ignore/ignore-rules.ts';
import { notADirectory, type LocalPaths } from '../files/local-paths.ts';
import { GlobError } from '../glob/glob-error.ts';
import { PathFilter } from './path-filter.ts';
import type { FoundFiles } from '../gram-index/candidate-source.ts';
import { entriesAt } from '../gram-index/path-list.ts';
import type { SharedIndex } from '../gram-index/shared-index.ts';
import { TreeWalk } from './tree-walk.ts';
import { TurnTaker } from './turn-taker.ts';

/** Entries of a batch, and directories read for one, at most. */
const maxBatch = 1024;
const maxReads = 32;
/** Milliseconds for which rules that were read answer further questions about single paths. */
const rulesLifetimeMs = 200;

/** A tree with so many entries is large: to walk it again and again is worth an index. */
const largeTree = 8192;

/** Walks a directory on this machine. Every walk reads the ignore files anew, unless an index follows them. */
export class LocalWalker implements WorkspaceWalker {
  readonly #paths: LocalPaths;
  readonly #index: SharedIndex | undefined;
  #rules: IgnoreRules | undefined;
  #rulesAt = 0;

  constructor(paths: LocalPaths, index?: SharedIndex) {
    this.#paths = paths;
    this.#index = index;
  }

  async *walk(options: WalkOptions = {}): AsyncGenerator<readonly WalkEntry[]> {
    const { path: start, exists } = this.#paths.resolve(options.path ?? '');
    if (!exists) throw pathNotFound(options.path ?? '');
    options.signal?.throwIfAborted();
    const known = await this.#known(start, options);
    const turns = new TurnTaker(options.signal);
    if (known !== undefined) {
      for (const unread of known.notSearched) options.onUnread?.(unread);
      for (let at = 0; at < known.rows.length; at += maxBatch) {
        yield entriesAt(known.list, known.rows.subarray(at, at + maxBatch));
        await turns.next();
      }
      return;
    }
    const filter = pathFilter(start, {
      include: options.include,
      exclude: options.exclude,
      hidden: options.hidden ?? true,
    });
    const root = toPosix(this.#paths.root);
    const walk = new TreeWalk({
      root,
      start,
      rules: options.ignore === false ? undefined : new IgnoreRules(root),
      hidden: filter.hidden,
      directories: options.directories ?? false,
      maxDepth: options.maxDepth ?? Infinity,
      mayEnter: (path) => filter.mayEnter(path),
    });
    const isFiltered = options.include !== undefined || options.exclude !== undefined;
    let seen = 0;
    let told = 0;
    const tell = () => {
      for (const unread of walk.problems.slice(told)) options.onUnread?.(unread);
      told = walk.problems.length;
    };
    for (;;) {
      const batch = walk.next(maxBatch, maxReads);
      if (batch === undefined) break;
      tell();
      seen += batch.length;
      const wanted = isFiltered ? batch.filter(({ path }) => filter.wants(path)) : batch;
      if (wanted.length > 0) yield wanted;
      await turns.next();
    }
    const [first] = walk.problems;
    if (first?.path === start) throw startProblem(options.path ?? '', first.reason);
    tell();
    if (seen > largeTree && options.ignore !== false) this.#index?.notePass();
  }

  /** What the index says of a walk; undefined when it must be walked. */
  async #known(start: string, options: WalkOptions): Promise<FoundFiles | undefined> {
    const { include, exclude, hidden = true, ignore = true, directories = false } = options;
    if (!ignore || directories || options.maxDepth !== undefined) return undefined;
    return this.#index?.get()?.entries({ start, include, exclude, hidden });
  }

  async isIgnored(path: string, _options?: CancelOptions): Promise<boolean> {
    const { path: resolved, absolute } = this.#paths.resolve(path, 'keep');
    if (resolved === '') return false;
    const root = toPosix(this.#paths.root);
    const isDirectory = isDirectoryAt(absolute);
    return this.#recentRules(root).isIgnored(`${root}/${resolved}`, isDirectory);
  }

  /** A listing asks for one entry after the other: the files are not read again for each. */
  #recentRules(root: string): IgnoreRules {
    const now = performance.now();
    if (this.#rules === undefined || now - this.#rulesAt > rulesLifetimeMs) {
      this.#rules = new IgnoreRules(root);
      this.#rulesAt = now;
    }
    return this.#rules;
  }
}

/** What is gone or may not be looked at is no directory. */
function isDirectoryAt(absolute: string): boolean {
  try {
    return lstatSync(absolute).isDirectory();
  } catch {
    return false;
  }
}

/** As the constructor, with the typed error for a glob that is none. */
export function pathFilter(...parameters: ConstructorParameters<typeof PathFilter>): PathFilter {
  try {
    return new PathFilter(...parameters);
  } catch (error) {
    if (!(error instanceof GlobError)) throw error;
    throw new ToolError('invalid_argument', `The glob cannot be used: ${error.message}.`, {
      reason: 'bad_glob',
      cause: error,
    });
  }
}

function startProblem(path: string, reason: string): ToolError {
  if (reason === 'gone') return notADirectory(path);
  return new ToolError(
    'permission_denied',
    `The directory ${JSON.stringify(path)} cannot be read (${reason}); choose another path.`,
    { reason: 'system', fields: { path } },
  );
}
