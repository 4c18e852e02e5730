import type { BitStore } from './bit-store.ts';
import type { FileDigest } from './file-indexer.ts';
import type { GramQuery } from './gram-query.ts';
import type { WatchedDirectory, WatchedFile } from './watched-tree.ts';

/** In `chunks`: the file must be scanned for every query; nothing is ever found in it. */
const open = -1;
const empty = -2;

/** The files of a tree in path order, as columns: thousands are judged in a few milliseconds. */
export class FileTable {
  readonly files: readonly WatchedFile<FileDigest>[];
  /** Directories that could not be listed. */
  readonly problems: readonly { readonly path: string; readonly reason: string }[];
  readonly #chunks: Int32Array;
  readonly #offsets: Int32Array;
  readonly #counts: Int32Array;

  constructor(top: WatchedDirectory<FileDigest>) {
    const files: WatchedFile<FileDigest>[] = [];
    const problems: { path: string; reason: string }[] = [];
    collect(top, files, problems);
    this.files = files;
    this.problems = problems;
    this.#chunks = new Int32Array(files.length).fill(open);
    this.#offsets = new Int32Array(files.length);
    this.#counts = new Int32Array(files.length);
    for (let row = 0; row < files.length; row += 1) {
      const file = files[row];
      const state = file?.state;
      if (state?.kind === 'empty' || file?.kind !== 'file') this.#chunks[row] = empty;
      if (state?.kind !== 'bits') continue;
      this.#chunks[row] = state.place.chunk;
      this.#offsets[row] = state.place.offset;
      this.#counts[row] = state.place.count;
    }
  }

  /** Calls `onRow` with each file that may hold what is asked for, until it returns false. */
  each(store: BitStore, query: GramQuery, onRow: (path: string) => boolean): boolean {
    const place = { chunk: 0, offset: 0, count: 0 };
    for (let row = 0; row < this.files.length; row += 1) {
      const chunk = this.#chunks[row] ?? open;
      if (chunk === empty) continue;
      if (chunk !== open) {
        place.chunk = chunk;
        place.offset = this.#offsets[row] ?? 0;
        place.count = this.#counts[row] ?? 0;
        if (!store.mayHold(place, query)) continue;
      }
      const file = this.files[row];
      if (file !== undefined && !onRow(file.path)) return false;
    }
    return true;
  }
}

function collect(
  directory: WatchedDirectory<FileDigest>,
  files: WatchedFile<FileDigest>[],
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
