import type { TextSplice } from '@toolwright/documents';
import { changedRegion, splicedRegion } from './changed-region.ts';
import type { ChangedRegion } from './changed-region.ts';
import { lineChanges, linesWithEndings } from './line-changes.ts';
import type { LineChange } from './line-changes.ts';

/** Unchanged lines shown around a change. */
const CONTEXT_LINES = 3;

/** The difference of two texts. */
export interface TextDifference {
  /** Hunks in unified form, without file headers; empty for equal texts. */
  readonly diff: string;
  readonly addedLines: number;
  readonly removedLines: number;
}

/**
 * Compares two texts by lines, endings included; a missing final newline is marked as in `diff -u`. The hunks apply to
 * the first text as they are.
 */
export function unifiedDiff(before: string, after: string): TextDifference {
  return regionDiff(changedRegion(before, after, CONTEXT_LINES));
}

/** As `unifiedDiff`, of a text and what splices make of it; costs only the part that they change. */
export function spliceDiff(text: string, splices: readonly TextSplice[]): TextDifference {
  return regionDiff(splicedRegion(text, splices, CONTEXT_LINES));
}

function regionDiff(region: ChangedRegion | undefined): TextDifference {
  if (region === undefined) return { diff: '', addedLines: 0, removedLines: 0 };
  const lines = linesWithEndings(region.before);
  const changes = lineChanges(lines, linesWithEndings(region.after));
  const hunks = groupChanges(changes).map((group) => renderHunk(group, lines, region.line));
  return {
    diff: hunks.join(''),
    addedLines: changes.reduce((sum, change) => sum + change.added.length, 0),
    removedLines: changes.reduce((sum, change) => sum + change.removed.length, 0),
  };
}

/** Changes whose context would touch share a hunk. */
function groupChanges(changes: readonly LineChange[]): LineChange[][] {
  const groups: LineChange[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const change of changes) {
    if (change.beforeLine - end > 2 * CONTEXT_LINES) groups.push([]);
    groups.at(-1)?.push(change);
    end = change.beforeLine + change.removed.length;
  }
  return groups;
}

function renderHunk(
  group: readonly LineChange[],
  lines: readonly string[],
  firstLine: number,
): string {
  const [first] = group;
  const last = group.at(-1);
  if (first === undefined || last === undefined) return '';
  const start = Math.max(0, first.beforeLine - CONTEXT_LINES);
  const end = Math.min(lines.length, last.beforeLine + last.removed.length + CONTEXT_LINES);
  // Not spread into a call: a change of a large file has more lines than a call takes arguments.
  const body: string[] = [];
  const add = (sign: ' ' | '-' | '+', some: readonly string[]): void => {
    for (const line of some) body.push(renderLine(sign, line));
  };
  let at = start;
  let growth = 0;
  for (const change of group) {
    add(' ', lines.slice(at, change.beforeLine));
    add('-', change.removed);
    add('+', change.added);
    at = change.beforeLine + change.removed.length;
    growth += change.added.length - change.removed.length;
  }
  add(' ', lines.slice(at, end));
  const count = end - start;
  const newStart = start + (first.afterLine - first.beforeLine);
  const ranges = `-${rangeOf(firstLine + start, count)} +${rangeOf(firstLine + newStart, count + growth)}`;
  return `@@ ${ranges} @@\n${body.join('')}`;
}

/** As in `diff -u`: an empty range names the line before it. */
function rangeOf(start: number, count: number): string {
  if (count === 1) return String(start + 1);
  return `${count === 0 ? start : start + 1},${count}`;
}

function renderLine(sign: ' ' | '-' | '+', line: string): string {
  return line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`;
}
