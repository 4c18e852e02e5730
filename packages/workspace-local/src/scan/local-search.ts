import { lstatSync, statSync } from 'node:fs';
import {
  pathNotFound,
  ToolError,
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
import { gramQuery } from '../gram-index/gram-query.ts';
import { pathAt } from '../gram-index/path-list.ts';
import type { SharedIndex } from '../gram-index/shared-index.ts';
import { FileScanner } from './file-scanner.ts';
import { toOutcome } from './grep-outcome.ts';
import { emptyResult, joinResults, partsOf, unfinished } from './item-results.ts';
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
/** Files that are scanned on the caller's thread before others have their turn. */
const filesPerTurn = 8;
/** Files of a piece that comes from the index. */
const filesPerItem = 32;

/** What a local search is made from. */
export interface LocalSearchOptions {
  readonly paths: LocalPaths;
  readonly credentials: CredentialBoundary;
  /** Knows the tree when searches come again. Default: none. */
  readonly index?: SharedIndex | undefined;
}

/** Scans a directory on this machine with the engine of this package: small trees here, large ones by threads. */
export class LocalSearch implements WorkspaceSearch {
  readonly #paths: LocalPaths;
  readonly #credentials: CredentialBoundary;
  readonly #pool = new ScanPool();
  readonly #memories = new ScannerMemories();
  readonly #index: SharedIndex | undefined;

  constructor({ paths, credentials, index }: LocalSearchOptions) {
    this.#paths = paths;
    this.#credentials = credentials;
    this.#index = index;
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
      undecoded: request.undecoded,
      gather: request.gather,
      context: request.context,
      limit: request.limit,
      after: request.after,
      deadlineAt: Date.now() + request.timeoutMs,
      leavesLarge: false,
    };
    if (!statSync(absolute).isDirectory()) {
      this.#credentials.assertPath(start, request.path);
      const frontier = oneFile(start);
      return this.#finish(job, frontier, await this.#scanSmall(job, frontier.items, signal));
    }
    const known = await this.#candidates(job);
    const frontier = known ?? (await openFrontier(job, filter, new TurnTaker(signal)));
    const isSmall = frontier.isComplete && frontier.items.length <= maxOwnItems;
    const results = isSmall
      ? await this.#scanSmall(job, frontier.items, signal)
      : await this.#scanByPool(job, frontier.items, signal);
    if (known === undefined && !isSmall && job.ignore) this.#index?.notePass();
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
        tellsBinary: true,
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
    return toOutcome([{ ...emptyResult, files, notSearched }], {
      limit: request.limit,
      context: request.context,
    });
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  /** The files that the index does not rule out; undefined when all must be scanned. */
  async #candidates(job: ScanJob): Promise<ScanFrontier | undefined> {
    const { start, include, hidden, plan } = job;
    const grams = job.ignore ? gramQuery(plan.required) : undefined;
    const index = this.#index?.get();
    if (grams === undefined || index === undefined) return undefined;
    const found = await index.candidates({ start, include, exclude: undefined, hidden, grams });
    if (found === undefined) return undefined;
    const paths = Array.from(found.rows, (row) => pathAt(found.list, row));
    const items: ScanItem[] = [];
    for (let at = 0; at < paths.length; at += filesPerItem) {
      items.push({ kind: 'files', paths: paths.slice(at, at + filesPerItem) });
    }
    return { items, isComplete: true, notSearched: found.notSearched };
  }

  /** Scans by threads; on this one where there are none. */
  async #scanByPool(
    job: ScanJob,
    items: readonly ScanItem[],
    signal: AbortSignal | undefined,
  ): Promise<ItemResults> {
    return (await this.#pool.run(job, items, signal)) ?? (await this.#scanHere(job, items, signal));
  }

  /** Scans on this thread, and by threads the files that would hold it up. */
  async #scanSmall(
    job: ScanJob,
    small: readonly ScanItem[],
    signal: AbortSignal | undefined,
  ): Promise<ItemResults> {
    const results = await this.#scanHere({ ...job, leavesLarge: true }, small, signal);
    const left = [...results].flatMap(([index, { large }]) =>
      large.map((path) => ({ index, item: fileItem(path) })),
    );
    if (left.length === 0) return results;
    const items = left.map(({ item }) => item);
    const later = await this.#scanByPool(job, items, signal);
    for (const [at, { index, item }] of left.entries()) {
      const parts = [results.get(index) ?? emptyResult, later.get(at) ?? unfinished(item)];
      results.set(index, joinResults(parts));
    }
    return results;
  }

  async #scanHere(
    job: ScanJob,
    items: readonly ScanItem[],
    signal: AbortSignal | undefined,
  ): Promise<ItemResults> {
    const control = new ScanControl({ items: items.length });
    const onAbort = () => control.stop();
    const memory = this.#memories.take();
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const scanner = new TreeScanner(memory, job, control);
      const turns = new TurnTaker(signal);
      const results: ItemResults = new Map();
      for (const [index, item] of items.entries()) {
        const parts: ItemResult[] = [];
        for (const part of partsOf(item, filesPerTurn)) {
          parts.push(scanner.scan(part, index));
          await turns.next();
        }
        results.set(index, joinResults(parts));
      }
      return results;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#memories.giveBack(memory);
    }
  }

  #finish(job: ScanJob, frontier: ScanFrontier, results: ItemResults): GrepOutcome {
    const found: ItemResult[] = [{ ...emptyResult, notSearched: frontier.notSearched }];
    for (const [index, item] of frontier.items.entries()) {
      found.push(this.#withoutCredentials(results.get(index) ?? unfinished(item)));
    }
    return toOutcome(found, job);
  }

  /** Files that are closed to tools are not even told of; what was scanned in them is dropped. */
  #withoutCredentials(result: ItemResult): ItemResult {
    const isOpen = (path: string) => this.#isOpen({ path, isLinked: true });
    return {
      ...result,
      files: result.files.filter((file) => this.#isOpen(file)),
      undecoded: result.undecoded.filter(isOpen),
    };
  }

  #isOpen({ path, isLinked }: Pick<ScannedFile, 'path' | 'isLinked'>): boolean {
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
  return { items: [fileItem(path)], isComplete: true, notSearched: [] };
}

function fileItem(path: string): ScanItem {
  return { kind: 'files', paths: [path] };
}
