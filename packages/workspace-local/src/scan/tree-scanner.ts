import { fstatSync, readlinkSync, realpathSync } from 'node:fs';
import { IgnoreRules } from '../ignore/ignore-rules.ts';
import { compareUtf8 } from '../walk/compare-utf8.ts';
import { PathFilter } from '../walk/path-filter.ts';
import { absolutePath, TreeWalk } from '../walk/tree-walk.ts';
import { FileScanner, type FileOutcome } from './file-scanner.ts';
import { PageEnd } from './page-end.ts';
import type { ItemResult, ScanControl, ScanItem, ScanJob, ScannedFile } from './scan-job.ts';
import type { ScannerMemory } from './scanner-memory.ts';
import { ScanStopped } from './text-matcher.ts';

const walkBatch = 256;

/**
 * Scans pieces of a tree, one after the other, on whatever thread it is made. It loads nothing of the contract at run
 * time, so that a worker starts quickly.
 */
export class TreeScanner {
  readonly #job: ScanJob;
  readonly #control: ScanControl;
  readonly #scanner: FileScanner;
  readonly #filter: PathFilter;
  readonly #rules: IgnoreRules | undefined;
  readonly #rootPrefix: string;
  readonly #pages: PageEnd;

  constructor(memory: ScannerMemory, job: ScanJob, control: ScanControl) {
    this.#job = job;
    this.#control = control;
    this.#scanner = new FileScanner(memory, job.plan, () => this.#mustStop());
    this.#filter = new PathFilter(job.start, job);
    this.#rules = job.ignore ? new IgnoreRules(job.root) : undefined;
    this.#pages = new PageEnd(control, job.limit);
    this.#rootPrefix = job.root === '/' ? '/' : `${job.root}/`;
  }

  /** Scans one item. At the deadline it returns what it has and says what is left. */
  scan(item: ScanItem, index: number): ItemResult {
    const result = new ResultBuilder();
    if (item.kind === 'files') this.#files(item.paths, index, result);
    else this.#directory(item.path, index, result);
    return result;
  }

  #files(paths: readonly string[], index: number, result: ResultBuilder): void {
    for (const [at, path] of paths.entries()) {
      if (!this.#file(path, index, result)) {
        result.leave(paths.slice(at));
        return;
      }
    }
  }

  #directory(path: string, index: number, result: ResultBuilder): void {
    if (this.#mustStop()) return result.leave([path]);
    const walk = new TreeWalk({
      root: this.#job.root,
      start: path,
      rules: this.#rules,
      hidden: this.#filter.hidden,
      directories: false,
      maxDepth: Infinity,
      mayEnter: (directory) => this.#filter.mayEnter(directory),
    });
    for (let batch = walk.next(walkBatch); batch !== undefined; batch = walk.next(walkBatch)) {
      for (const [at, entry] of batch.entries()) {
        if (entry.kind !== 'file' || !this.#filter.wants(entry.path)) continue;
        if (this.#file(entry.path, index, result)) continue;
        result.leave([...batch.slice(at).map((left) => left.path), ...walk.pending()]);
        for (const problem of walk.problems) result.notSearched.push(problem);
        return;
      }
    }
    for (const problem of walk.problems) result.notSearched.push(problem);
  }

  /** Scans one file; false when it was stopped before it was done. */
  #file(path: string, index: number, result: ResultBuilder): boolean {
    if (this.#mustStop()) return false;
    const { after, gather, context, limit } = this.#job;
    const order = after === undefined ? 1 : compareUtf8(path, after.path);
    const isGivenOut = gather === 'lines' && order >= 0;
    const isPastPage = isGivenOut && this.#pages.isPast(index) && !isDotted(path);
    let outcome: FileOutcome;
    let isLinked = false;
    try {
      outcome = this.#scanner.scanFile(
        absolutePath(this.#job.root, path),
        {
          context,
          maxMatches: isGivenOut && !isPastPage ? limit + 1 : 0,
          afterLine: order === 0 ? (after?.line ?? 0) : 0,
          undecoded: this.#job.undecoded,
          leavesLarge: this.#job.leavesLarge,
          tellsBinary: path === this.#job.start,
        },
        (descriptor) => {
          isLinked = fstatSync(descriptor).nlink > 1;
          return this.#isInside(descriptor, path);
        },
      );
    } catch (error) {
      if (error instanceof ScanStopped) return false;
      throw error;
    }
    if (outcome.kind === 'not_searched') result.notSearched.push({ path, reason: outcome.reason });
    if (outcome.kind === 'large') result.large.push(path);
    if (outcome.kind === 'undecoded') result.undecoded.push(path);
    if (outcome.kind !== 'found') return true;
    if (outcome.isUndecoded) result.undecoded.push(path);
    if (isGivenOut && !isDotted(path)) this.#pages.count(index, outcome.matchingLines);
    result.files.push({ path, matchingLines: outcome.totalLines, lines: outcome.rows, isLinked });
    return true;
  }

  /** The opened file still lies below the root, whatever became of the directories on its path. */
  #isInside(descriptor: number, path: string): boolean {
    if (process.platform === 'linux') {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(this.#rootPrefix);
    }
    const real = realpathSync.native(absolutePath(this.#job.root, path));
    return real.startsWith(this.#rootPrefix);
  }

  #mustStop(): boolean {
    return this.#control.stopped || Date.now() >= this.#job.deadlineAt;
  }
}

/** Such a path may turn out to be closed to tools: then its lines are not part of any page. */
function isDotted(path: string): boolean {
  return path.startsWith('.') || path.includes('/.');
}

class ResultBuilder implements ItemResult {
  readonly files: ScannedFile[] = [];
  readonly notSearched: { path: string; reason: string }[] = [];
  readonly undecoded: string[] = [];
  readonly large: string[] = [];

  leave(paths: readonly string[]): void {
    for (const path of paths) this.notSearched.push({ path, reason: 'deadline' });
  }
}
