import type { PathFilter } from '../walk/path-filter.ts';
import type { BitStore } from './bit-store.ts';
import type { FileDigest } from './file-indexer.ts';
import type { GramQuery } from './gram-query.ts';
import { createPathList, placeOf, placesBelow, type PathList } from './path-list.ts';
import type { WatchedDirectory, WatchedFile } from './watched-tree.ts';

type IndexedFile = WatchedFile<FileDigest>;

/** In `chunks`: the file must be scanned for every query; nothing is ever found in it. */
const open = -1;
const empty = -2;

/** Which rows are asked for. */
export interface RowQuery {
  readonly start: string;
  readonly filter: PathFilter;
  /** What the files must hold, and where their sets are. Default: anything. */
  readonly content?: { readonly grams: GramQuery; readonly store: BitStore } | undefined;
  readonly maxRows: number;
}

/** The files of a tree in path order, as columns: thousands are judged in a few milliseconds. */
export class FileTable {
  readonly files: readonly IndexedFile[];
  readonly list: PathList;
  /** Directories that could not be listed. */
  readonly problems: readonly { readonly path: string; readonly reason: string }[];
  readonly #chunks: Int32Array;
  readonly #offsets: Int32Array;
  readonly #counts: Int32Array;

  constructor(top: WatchedDirectory<FileDigest>) {
    const files: IndexedFile[] = [];
    const problems: { path: string; reason: string }[] = [];
    collect(top, files, problems);
    this.files = files;
    this.list = createPathList(files);
    this.problems = problems;
    this.#chunks = new Int32Array(files.length);
    this.#offsets = new Int32Array(files.length);
    this.#counts = new Int32Array(files.length);
    for (const [row, file] of files.entries()) this.#set(row, file);
  }

  /** The state of a file is another one. A file that the table does not have is none of its business. */
  update(file: IndexedFile): void {
    const row = placeOf(this.list, file.path);
    if (this.files[row] === file) this.#set(row, file);
  }

  /** The rows that are asked for, in order; undefined when they are too many. */
  select({ start, filter, content, maxRows }: RowQuery): Uint32Array | undefined {
    const { text, starts } = this.list;
    const [from, to] = placesBelow(this.list, start);
    const rows = new Uint32Array(Math.min(to - from, maxRows));
    let count = 0;
    for (let row = from; row < to; row += 1) {
      if (content !== undefined && !this.#mayHold(row, content)) continue;
      if (!filter.wants(text, starts[row], (starts[row + 1] ?? 0) - 1)) continue;
      if (count === maxRows) return undefined;
      rows[count] = row;
      count += 1;
    }
    return rows.slice(0, count);
  }

  readonly #place = { chunk: 0, offset: 0, count: 0 };

  #mayHold(row: number, content: { readonly grams: GramQuery; readonly store: BitStore }): boolean {
    const chunk = this.#chunks[row] ?? open;
    if (chunk < 0) return chunk === open;
    const place = this.#place;
    place.chunk = chunk;
    place.offset = this.#offsets[row] ?? 0;
    place.count = this.#counts[row] ?? 0;
    return content.store.mayHold(place, content.grams);
  }

  #set(row: number, { kind, state }: IndexedFile): void {
    this.#chunks[row] = kind !== 'file' || state.kind === 'empty' ? empty : open;
    if (state.kind !== 'bits') return;
    this.#chunks[row] = state.place.chunk;
    this.#offsets[row] = state.place.offset;
    this.#counts[row] = state.place.count;
  }
}

function collect(
  directory: WatchedDirectory<FileDigest>,
  files: IndexedFile[],
  problems: { path: string; reason: string }[],
): void {
  if (directory.problem !== undefined) {
    problems.push({ path: directory.path, reason: directory.problem });
  }
  for (const child of directory.children.values()) {
    if ('children' in child) collect(child, files, problems);
    else files.push(child);
  }
}
