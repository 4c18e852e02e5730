import { trimCr } from './diff-lines.ts';
import { newLines, oldLines, type Hunk, type HunkLine } from './hunk.ts';

/** The lines of a file before or after a hunk. */
export interface HunkSide {
  /** As the diff has them. */
  readonly texts: readonly string[];
  /** Without CR. */
  readonly keys: readonly string[];
  /** Whether the diff says that the last line has a newline; null for an empty side. */
  readonly terminated: boolean | null;
}

/** A hunk with what locating it needs, computed once. */
export interface PreparedHunk {
  readonly hunk: Hunk;
  readonly old: HunkSide;
  readonly new: HunkSide;
  /** Context lines before the first and after the last change. */
  readonly leading: number;
  readonly trailing: number;
  /** Every old line is kept and lines are added: applying it twice would not be noticed by its old side. */
  readonly onlyInserts: boolean;
}

/** Computes what locating a hunk needs. */
export function prepareHunk(hunk: Hunk): PreparedHunk {
  const first = hunk.lines.findIndex((line) => line.kind !== 'context');
  const last = hunk.lines.findLastIndex((line) => line.kind !== 'context');
  const old = toSide(oldLines(hunk));
  const created = toSide(newLines(hunk));
  return {
    hunk,
    old,
    new: created,
    leading: first === -1 ? old.keys.length : first,
    trailing: first === -1 ? 0 : hunk.lines.length - 1 - last,
    onlyInserts: onlyInserts(old.keys, created.keys),
  };
}

function toSide(lines: readonly HunkLine[]): HunkSide {
  return {
    texts: lines.map((line) => line.text),
    keys: lines.map((line) => trimCr(line.text)),
    terminated: lines.at(-1)?.terminated ?? null,
  };
}

function onlyInserts(old: readonly string[], created: readonly string[]): boolean {
  if (created.length <= old.length) return false;
  let prefix = 0;
  while (prefix < old.length && old[prefix] === created[prefix]) prefix += 1;
  let suffix = 0;
  while (suffix < old.length && old.at(-1 - suffix) === created.at(-1 - suffix)) suffix += 1;
  return prefix + suffix >= old.length;
}
