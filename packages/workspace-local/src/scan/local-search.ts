import { lstatSync, statSync } from 'node:fs';
import {
  pathNotFound,
  ToolError,
  type GrepFile,
  type GrepGather,
  type GrepOutcome,
  type GrepPattern,
  type GrepRequest,
  type GrepTextRequest,
  type WorkspaceSearch,
} from '@toolwright/core';
import { toPosix } from '../ignore/ignore-rules.ts';
import type { CredentialBoundary } from '../files/credential-boundary.ts';
import type { LocalPaths } from '../files/local-paths.ts';
import { pathFilter } from '../walk/local-walker.ts';
import { absolutePath } from '../walk/tree-walk.ts';
import { TurnTaker } from '../walk/turn-taker.ts';
import { RegexError } from '../regex/syntax.ts';
import { FileScanner } from './file-scanner.ts';
import { openFrontier, type ScanFrontier } from './scan-frontier.ts';
import {
  ScanControl,
  type ItemResult,
  type ScanItem,
  type ScanJob,
  type ScannedFile,
} from './scan-job.ts';
import { ScanPool } from './scan-pool.ts';
import type { ItemResults } from './scan-thread.ts';
import { ScannerMemories } from './scanner-memory.ts';
import { createSearchPlan, type SearchPlan } from './search-plan.ts';
import { ScanStopped } from './text-matcher.ts';
import { TreeScanner } from './tree-scanner.ts';

/** A tree of no more pieces than this is scanned on the thread of the caller, in short turns. */
const maxOwnItems = 24;
/** Entries of `notSearched` that are told; the rest is counted in the last. */
const maxTold = 200;

/** What a local search is made from. */
export interface LocalSearchOptions {
  readonly paths: LocalPaths;
  readonly credentials: CredentialBoundary;
}

/** Scans a directory on this machine with the engine of this package: small trees here, large ones by threads. */
export class LocalSearch implements WorkspaceSearch {
  readonly #paths: LocalPaths;
  readonly #credentials: CredentialBoundary;
  readonly #pool = new ScanPool();
  readonly #memories = new ScannerMemories();

  constructor({ paths, credentials }: LocalSearchOptions) {
    this.#paths = paths;
    this.#credentials = credentials;
  }

  async grep(request: GrepRequest): Promise<GrepOutcome> {
    const { signal } = request;
    signal?.throwIfAborted();
    const plan = searchPlan(request);
    const { path: start, absolute, exists } = this.#paths.resolve(request.path);
    if (!exists) throw pathNotFound(request.path);
    const filter = pathFilter(start, { include: request.include, hidden: request.hidden });
    const job: ScanJob = {
      root: toPosix(this.#paths.root),
      start,
      plan,
      include: request.include,
      hidden: request.hidden,
      ignore: request.ignore,
      gather: request.gather,
      context: request.context,
      limit: request.limit,
      after: request.after,
      deadlineAt: Date.now() + request.timeoutMs,
    };
    if (!statSync(absolute).isDirectory()) {
      this.#credentials.assertPath(start, request.path);
      return this.#finish(job, oneFile(start), await this.#scanHere(job, oneFile(start), signal));
    }
    const frontier = await openFrontier(job, filter, new TurnTaker(signal));
    const isSmall = frontier.isComplete && frontier.items.length <= maxOwnItems;
    const results =
      (isSmall ? undefined : await this.#pool.run(job, frontier.items, signal)) ??
      (await this.#scanHere(job, frontier, signal));
    return this.#finish(job, frontier, results);
  }

  async grepText(request: GrepTextRequest): Promise<GrepOutcome> {
    request.signal?.throwIfAborted();
    const deadlineAt = Date.now() + request.timeoutMs;
    const isLate = () => Date.now() >= deadlineAt || request.signal?.aborted === true;
    const memory = this.#memories.take();
    const scanner = new FileScanner(memory, searchPlan(request), isLate);
    const files: ScannedFile[] = [];
    const notSearched: { path: string; reason: string }[] = [];
    try {
      const outcome = scanner.scanBytes(request.content, {
        context: request.context,
        maxMatches: request.gather === 'lines' ? request.limit + 1 : 0,
        afterLine: request.after?.line ?? 0,
      });
      if (outcome.kind === 'not_searched') {
        notSearched.push({ path: request.name, reason: outcome.reason });
      } else if (outcome.kind === 'found') {
        const { totalLines: matchingLines, rows: lines } = outcome;
        files.push({ path: request.name, matchingLines, lines, isLinked: false });
      }
    } catch (error) {
      if (!(error instanceof ScanStopped)) throw error;
      request.signal?.throwIfAborted();
      notSearched.push({ path: request.name, reason: 'deadline' });
    } finally {
      this.#memories.giveBack(memory);
    }
    return toOutcome([{ files, notSearched }], request);
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #scanHere(
    job: ScanJob,
    frontier: ScanFrontier,
    signal: AbortSignal | undefined,
  ): Promise<ItemResults> {
    const control = new ScanControl({ items: frontier.items.length });
    const onAbort = () => control.stop();
    const memory = this.#memories.take();
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const scanner = new TreeScanner(memory, job, control);
      const turns = new TurnTaker(signal);
      const results: ItemResults = new Map();
      for (const [index, item] of frontier.items.entries()) {
        results.set(index, scanner.scan(item, index));
        await turns.next();
      }
      return results;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#memories.giveBack(memory);
    }
  }

  #finish(job: ScanJob, frontier: ScanFrontier, results: ItemResults): GrepOutcome {
    const found: ItemResult[] = [{ files: [], notSearched: frontier.notSearched }];
    for (const [index, item] of frontier.items.entries()) {
      found.push(this.#withoutCredentials(results.get(index) ?? unfinished(item)));
    }
    return toOutcome(found, job);
  }

  /** Files that are closed to tools are not even told of; what was scanned in them is dropped. */
  #withoutCredentials(result: ItemResult): ItemResult {
    return { ...result, files: result.files.filter((file) => this.#isOpen(file)) };
  }

  #isOpen({ path, isLinked }: ScannedFile): boolean {
    try {
      this.#credentials.assertPath(path, path);
      if (isLinked) {
        const stat = lstatSync(absolutePath(this.#paths.root, path), { bigint: true });
        this.#credentials.assertIdentity(stat, path);
      }
      return true;
    } catch {
      return false;
    }
  }
}

function searchPlan(pattern: GrepPattern): SearchPlan {
  try {
    return createSearchPlan(pattern);
  } catch (error) {
    if (!(error instanceof RegexError)) throw error;
    throw new ToolError('invalid_argument', `The pattern cannot be used: ${error.message}.`, {
      reason: 'bad_pattern',
      fields: { refusal: error.refusal },
      cause: error,
    });
  }
}

function oneFile(path: string): ScanFrontier {
  return { items: [{ kind: 'files', paths: [path] }], isComplete: true, notSearched: [] };
}

/** An item whose result never came. */
function unfinished(item: ScanItem): ItemResult {
  const paths = item.kind === 'files' ? item.paths : [item.path];
  return { files: [], notSearched: paths.map((path) => ({ path, reason: 'deadline' })) };
}

/** Puts the results of all items together, and cuts the rows to the limit. */
function toOutcome(results: readonly ItemResult[], gather: Pick<GrepGather, 'limit'>): GrepOutcome {
  const files: GrepFile[] = [];
  const notSearched: { path: string; reason: string }[] = [];
  let matchingLines = 0;
  let left = gather.limit;
  let more = false;
  for (const result of results) {
    for (const file of result.files) {
      matchingLines += file.matchingLines;
      const matches = file.lines.reduce((count, line) => count + (line.match ? 1 : 0), 0);
      if (matches > left) more = true;
      const lines = matches > left ? cutRows(file.lines, left) : file.lines;
      files.push({ path: file.path, matchingLines: file.matchingLines, lines });
      left -= Math.min(matches, left);
    }
    notSearched.push(...result.notSearched);
  }
  const isCut = notSearched.some(({ reason }) => reason === 'deadline');
  return { files, matchingLines, more, truncated: isCut, notSearched: bounded(notSearched) };
}

/** Rows up to the context of the last match that is left. */
function cutRows(lines: GrepFile['lines'], matches: number): GrepFile['lines'] {
  let seen = 0;
  const end = lines.findIndex((line) => {
    if (line.match) seen += 1;
    return seen > matches;
  });
  let cut = end < 0 ? lines.length : end;
  // The context before the first match that is cut away goes with it.
  while (cut > 0 && lines[cut - 1]?.match === false) cut -= 1;
  return matches === 0 ? [] : lines.slice(0, cut);
}

function bounded(
  notSearched: readonly { readonly path: string; readonly reason: string }[],
): GrepOutcome['notSearched'] {
  if (notSearched.length <= maxTold) return notSearched;
  const rest = notSearched.length - maxTold + 1;
  return [...notSearched.slice(0, maxTold - 1), { path: '', reason: `${rest}_more` }];
}
