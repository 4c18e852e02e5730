import type { FileKind, WalkEntry } from '@toolwright/core';
import { compareUtf8 } from '../walk/compare-utf8.ts';

/** Many paths in path order, as one string: it crosses between threads in one piece, and is cut where a path is asked for. */
export interface PathList {
  /** The paths, with a NUL between them. */
  readonly text: string;
  /** Where each begins in `text`, and where one more would begin. */
  readonly starts: Uint32Array;
  /** The places in the list of those that are no files. */
  readonly otherKinds: ReadonlyMap<number, FileKind>;
}

/** Takes entries that are in path order already. */
export function createPathList(entries: readonly WalkEntry[]): PathList {
  const starts = new Uint32Array(entries.length + 1);
  const otherKinds = new Map<number, FileKind>();
  let start = 0;
  for (const [row, { path, kind }] of entries.entries()) {
    start += path.length + 1;
    starts[row + 1] = start;
    if (kind !== 'file') otherKinds.set(row, kind);
  }
  return { text: entries.map(({ path }) => path).join('\0'), starts, otherKinds };
}

/** How many paths there are. */
export function countOf(list: PathList): number {
  return list.starts.length - 1;
}

/** The path at a place of the list. */
export function pathAt({ text, starts }: PathList, row: number): string {
  return text.slice(starts[row], (starts[row + 1] ?? 0) - 1);
}

/** What stands at places of the list. */
export function entriesAt(list: PathList, rows: Uint32Array): WalkEntry[] {
  const { otherKinds } = list;
  const entries: WalkEntry[] = [];
  for (let i = 0; i < rows.length; i += 1) {
    const row = rows[i] ?? 0;
    const kind = otherKinds.size === 0 ? 'file' : (otherKinds.get(row) ?? 'file');
    entries.push({ path: pathAt(list, row), kind });
  }
  return entries;
}

/** The first place whose path is not before `path`. */
export function placeOf(list: PathList, path: string): number {
  let low = 0;
  let high = countOf(list);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareUtf8(pathAt(list, middle), path) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The places of all that lies below a directory (`''` is the root): from the first to before the second. */
export function placesBelow(list: PathList, directory: string): readonly [number, number] {
  if (directory === '') return [0, countOf(list)];
  // What lies below it begins with its name and a slash, whose next byte is 0.
  return [placeOf(list, `${directory}/`), placeOf(list, `${directory}0`)];
}
