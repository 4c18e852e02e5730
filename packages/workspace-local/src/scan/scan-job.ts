import type { GrepFile } from '@toolwright/core';
import type { SearchPlan } from './search-plan.ts';

/** A piece of a scan: all below a directory, or some files. Paths are workspace paths. */
export type ScanItem =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'files'; readonly paths: readonly string[] };

/** What every piece of a scan needs to know, as plain data that a worker can be sent. */
export interface ScanJob {
  /** Absolute real path of the workspace's root, with `/`. */
  readonly root: string;
  /** Where the scan begins; globs are relative to it. */
  readonly start: string;
  readonly plan: SearchPlan;
  readonly include: string | undefined;
  readonly hidden: boolean;
  readonly ignore: boolean;
  readonly undecoded: 'matched' | 'all' | undefined;
  readonly gather: 'lines' | 'counts';
  readonly context: number;
  readonly limit: number;
  readonly after: { readonly path: string; readonly line: number } | undefined;
  /** Milliseconds since 1970 at which to stop. */
  readonly deadlineAt: number;
  /** Name large files in place of scanning them. */
  readonly leavesLarge: boolean;
}

/** A file with a match. */
export interface ScannedFile extends GrepFile {
  /** It has further names, by which it may be one that is closed to tools. */
  readonly isLinked: boolean;
}

/** What was found in one piece. */
export interface ItemResult {
  readonly files: readonly ScannedFile[];
  readonly notSearched: readonly { readonly path: string; readonly reason: string }[];
  /** Files that are no UTF-8, as far as the job asks for them. */
  readonly undecoded: readonly string[];
  /** Large files that were left, where the job says so. */
  readonly large: readonly string[];
}

/**
 * What the threads of one scan share: which item is next, whether to stop, and how many matching lines each item
 * had, so that rows which no page can hold are not made.
 */
export class ScanControl {
  readonly shared: SharedArrayBuffer;
  readonly #cells: Int32Array;

  constructor(source: { readonly items: number } | SharedArrayBuffer) {
    this.shared =
      source instanceof SharedArrayBuffer
        ? source
        : new SharedArrayBuffer((firstCount + source.items) * 4);
    this.#cells = new Int32Array(this.shared);
  }

  /** Takes the next item; its index, or -1 when none is left. */
  takeItem(): number {
    const index = Atomics.add(this.#cells, nextCell, 1);
    return index < this.#cells.length - firstCount ? index : -1;
  }

  stop(): void {
    Atomics.store(this.#cells, stopCell, 1);
  }

  get stopped(): boolean {
    return Atomics.load(this.#cells, stopCell) === 1;
  }

  /** Adds matching lines to an item's count. */
  count(item: number, lines: number): void {
    Atomics.add(this.#cells, firstCount + item, lines);
  }

  /** Matching lines known so far of an item and all before it. */
  linesUpTo(item: number): number {
    let sum = 0;
    for (let i = 0; i <= item; i += 1) sum += Atomics.load(this.#cells, firstCount + i);
    return sum;
  }
}

const nextCell = 0;
const stopCell = 1;
const firstCount = 2;
