import { setImmediate } from 'node:timers/promises';
import { lstatSync } from 'node:fs';
import { ScannerMemory } from '../scan/scanner-memory.ts';
import { GlobError } from '../glob/glob-error.ts';
import { PathFilter } from '../walk/path-filter.ts';
import { absolutePath } from '../walk/tree-walk.ts';
import { BitStore } from './bit-store.ts';
import type {
  CandidateQuery,
  CandidateSource,
  EntryQuery,
  FoundFiles,
} from './candidate-source.ts';
import { FileIndexer, type FileDigest } from './file-indexer.ts';
import { FileTable, type RowQuery } from './file-table.ts';
import {
  NotWatchable,
  WatchedTree,
  type WatchedDirectory,
  type WatchedFile,
} from './watched-tree.ts';

/** Bounds of an index; a tree beyond them is not indexed. */
export interface SearchIndexLimits {
  readonly maxFiles: number;
  readonly maxDirectories: number;
  /** Characters of all paths together: they stand in one string. */
  readonly maxPathUnits: number;
  /** Bytes of gram sets. */
  readonly maxBytes: number;
  /** Milliseconds to take in what happened to the tree before a question is left unanswered. */
  readonly settleMs: number;
}

/** Bounds where they are not the usual ones, and the clock in milliseconds that tells when all files are looked at again. */
export interface SearchIndexOptions extends Partial<SearchIndexLimits> {
  readonly now?: () => number;
}

const defaultLimits: SearchIndexLimits = {
  maxFiles: 250_000,
  maxDirectories: 48_000,
  maxPathUnits: 32 * 1024 * 1024,
  maxBytes: 96 * 1024 * 1024,
  settleMs: 250,
};

/** Candidates beyond this are no help: scanning the tree by pieces is as quick. */
const maxCandidates = 16_384;
/** Milliseconds of reading files between two turns of the event loop, in which events are taken in. */
const sliceMs = 4;
/** Milliseconds between two passes over the status of all files, which finds what no event told of. */
const reviewMs = 30_000;

const unread: FileDigest = { kind: 'open' };
type IndexedFile = WatchedFile<FileDigest>;

/**
 * Grams of all files of a tree in memory, kept current by {@link WatchedTree}. A file that was not read since it
 * changed is a candidate of every query, so that answers are right at any time, and become few while files are read
 * in the background. What no event tells of (writes through a memory map, through a name outside of the tree that was
 * made later, below a mount that was made later) is found by a pass over the status of all files, at most every 30
 * seconds.
 */
export class SearchIndex implements CandidateSource {
  readonly #root: string;
  readonly #limits: SearchIndexLimits;
  readonly #now: () => number;
  readonly #memory = new ScannerMemory();
  #store = new BitStore();
  #indexer = new FileIndexer(this.#memory, this.#store);
  #tree: WatchedTree<FileDigest> | undefined;
  /** Made when it is asked for, void when the tree was listed anew. */
  #table: FileTable | undefined;
  #tableVersion: number | undefined;
  #stale = new Set<IndexedFile>();
  #opening: Promise<void> | undefined;
  #filling: Promise<void> | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  /** That were asked and not answered yet. */
  #questions = 0;
  #reviewedAt = 0;
  #isClosed = false;

  /** `root` is an absolute real path, with `/`. */
  constructor(root: string, { now, ...limits }: SearchIndexOptions = {}) {
    this.#root = root;
    this.#limits = { ...defaultLimits, ...limits };
    this.#now = now ?? (() => performance.now());
  }

  /** Bytes of gram sets that are held. */
  get bytes(): number {
    return this.#store.bytes;
  }

  /** Settles when the tree is watched and every file was read, or when it turned out that it cannot be. */
  async filled(): Promise<void> {
    await this.#open();
    await this.#filling;
  }

  /** Undefined while the tree is walked, when too much happens at once, and for trees that cannot be watched. */
  async candidates(query: CandidateQuery): Promise<FoundFiles | undefined> {
    return this.#inTurn(async () => {
      const table = await this.#current(query);
      if (table === undefined) return undefined;
      const content = { grams: query.grams, store: this.#store };
      return select(table, query, { content, maxRows: maxCandidates });
    });
  }

  /** The same for files whatever they hold. */
  async entries(query: EntryQuery): Promise<FoundFiles | undefined> {
    return this.#inTurn(async () => {
      const table = await this.#current(query);
      // The walk says why it cannot look there.
      if (table?.problems.some(({ path }) => path === query.start) !== false) return undefined;
      return select(table, query, { maxRows: table.files.length });
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#drop();
    await this.#opening;
    this.#drop();
    await this.#filling;
  }

  async #inTurn<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const answer = this.#turn.then(ask);
    this.#turn = answer.catch(() => undefined);
    this.#questions += 1;
    try {
      return await answer;
    } finally {
      this.#questions -= 1;
    }
  }

  /** Lets events and questions have their turn: nobody waits for files to be read in the background. */
  async #rest(): Promise<void> {
    await setImmediate();
    while (this.#questions > 0) await this.#turn;
  }

  /** All files as they are now. */
  async #current({ start }: EntryQuery): Promise<FileTable | undefined> {
    if (this.#isClosed) return undefined;
    if (this.#tree === undefined) {
      void this.#open();
      return undefined;
    }
    try {
      const outcome = await this.#tree.settle();
      if (outcome === 'lost') this.#drop();
      if (outcome !== 'settled') return undefined;
    } catch (error) {
      this.#giveUp(error);
      return undefined;
    }
    this.#fill();
    const top = this.#tree?.top;
    return top !== undefined && hasDirectory(top, start) ? this.#currentTable() : undefined;
  }

  #currentTable(): FileTable | undefined {
    const tree = this.#tree;
    if (tree?.top === undefined) return undefined;
    if (this.#tableVersion !== tree.version) this.#table = undefined;
    this.#tableVersion = tree.version;
    this.#table ??= new FileTable(tree.top);
    return this.#table;
  }

  /** Walks the tree, once at a time. */
  async #open(): Promise<void> {
    if (this.#isClosed || this.#tree !== undefined) return;
    this.#opening ??= this.#walk().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #walk(): Promise<void> {
    const tree = new WatchedTree<FileDigest>({
      root: this.#root,
      initial: unread,
      ...this.#limits,
      onChange: (file) => this.#changed(file),
    });
    try {
      await tree.open();
    } catch (error) {
      tree.close();
      this.#giveUp(error);
      return;
    }
    if (this.#isClosed) return tree.close();
    this.#tree = tree;
    this.#reviewedAt = this.#now();
    this.#fill();
  }

  #changed(file: IndexedFile): void {
    if (file.state.kind === 'bits') this.#store.drop(file.state.place);
    file.state = unread;
    this.#table?.update(file);
    if (file.isGone) this.#stale.delete(file);
    else this.#stale.add(file);
  }

  /** Reads stale files in the background. */
  #fill(): void {
    if (this.#filling !== undefined || (this.#stale.size === 0 && !this.#isReviewDue())) return;
    this.#filling = this.#work().finally(() => {
      this.#filling = undefined;
    });
  }

  async #work(): Promise<void> {
    const tree = this.#tree;
    let sliceEnd = performance.now() + sliceMs;
    for (const file of this.#stale) {
      this.#stale.delete(file);
      // From here on an event makes it stale again, whether it is read before or after.
      file.isStale = false;
      file.state = this.#indexer.index(absolutePath(this.#root, file.path));
      this.#table?.update(file);
      if (this.#store.bytes > this.#limits.maxBytes) {
        this.#giveUp(new NotWatchable('Too much text.'));
        return;
      }
      if (performance.now() < sliceEnd) continue;
      await this.#rest();
      if (this.#isClosed || this.#tree !== tree) return;
      sliceEnd = performance.now() + sliceMs;
    }
    if (this.#store.dropped > this.#store.bytes / 2) this.#compact();
    if (this.#isReviewDue()) await this.#review();
  }

  #isReviewDue(): boolean {
    return this.#now() - this.#reviewedAt > reviewMs;
  }

  /** Looks at the status of all files. */
  async #review(): Promise<void> {
    this.#reviewedAt = this.#now();
    let sliceEnd = performance.now() + sliceMs;
    for (const file of this.#currentTable()?.files ?? []) {
      const { state } = file;
      if (file.isGone || file.isStale || file.kind !== 'file' || state.kind === 'open') continue;
      if (changedAt(absolutePath(this.#root, file.path)) !== state.changedAt) {
        file.isStale = true;
        this.#changed(file);
      }
      if (performance.now() < sliceEnd) continue;
      await this.#rest();
      if (this.#isClosed) return;
      sliceEnd = performance.now() + sliceMs;
    }
  }

  #compact(): void {
    const store = new BitStore();
    if (this.#tree?.top === undefined) return;
    for (const file of new FileTable(this.#tree.top).files) {
      if (file.state.kind !== 'bits') continue;
      const { place } = file.state;
      file.state = { ...file.state, place: store.add(this.#store.bitsOf(place)) };
    }
    this.#store = store;
    this.#indexer = new FileIndexer(this.#memory, store);
    this.#table = undefined;
  }

  #giveUp(error: unknown): void {
    this.#drop();
    if (!(error instanceof NotWatchable)) throw error;
    this.#isClosed = true;
  }

  #drop(): void {
    this.#tree?.close();
    this.#tree = undefined;
    this.#table = undefined;
    this.#stale = new Set();
    this.#store = new BitStore();
    this.#indexer = new FileIndexer(this.#memory, this.#store);
  }
}

/** The time of a file's last change of status; undefined where it cannot be looked at. */
function changedAt(path: string): number | undefined {
  try {
    return lstatSync(path).ctimeMs;
  } catch {
    return undefined;
  }
}

function hasDirectory(top: WatchedDirectory<FileDigest>, path: string): boolean {
  let directory = top;
  for (const name of path === '' ? [] : path.split('/')) {
    const child = directory.children.get(name);
    if (child === undefined || !('children' in child)) return false;
    directory = child;
  }
  return true;
}

/** What a table knows of a question; undefined when only a walk can tell. */
function select(
  table: FileTable,
  query: EntryQuery,
  bounds: Pick<RowQuery, 'content' | 'maxRows'>,
): FoundFiles | undefined {
  const filter = filterOf(query);
  if (filter?.hidden !== true) return undefined;
  const { start } = query;
  const rows = table.select({ start, filter, ...bounds });
  if (rows === undefined) return undefined;
  const prefix = start === '' ? '' : `${start}/`;
  const notSearched = table.problems.filter(
    ({ path }) => path === start || (path.startsWith(prefix) && filter.mayEnter(path)),
  );
  return { list: table.list, rows, notSearched };
}

/** Undefined for globs that are none, as whoever walks will say. */
function filterOf(query: EntryQuery): PathFilter | undefined {
  try {
    return new PathFilter(query.start, query);
  } catch (error) {
    if (error instanceof GlobError) return undefined;
    throw error;
  }
}
