import type { TextSplice } from '@toolwright/documents';

/** The part of two texts in which they differ, by whole lines, with some equal lines around. */
export interface ChangedRegion {
  readonly before: string;
  readonly after: string;
  /** Number of the region's first line, 0-based. */
  readonly line: number;
}

/** The region of splices that are known, without comparing the texts; `undefined` for none. */
export function splicedRegion(
  text: string,
  splices: readonly TextSplice[],
  context: number,
): ChangedRegion | undefined {
  const [first] = splices;
  const last = splices.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const start = lineStartBefore(text, first.start, context);
  const end = linesBelow(text, endOfLine(text, last.end), context);
  const parts: string[] = [];
  let copied = start;
  for (const splice of splices) {
    parts.push(text.slice(copied, splice.start), splice.replacement);
    copied = splice.end;
  }
  parts.push(text.slice(copied, end));
  return {
    before: text.slice(start, end),
    after: parts.join(''),
    line: countNewlines(text, start),
  };
}

/** Characters compared at a time. */
const STEP = 4_096;

/** Finds where two texts differ; `context` is how many equal lines to keep around. `undefined` for equal texts. */
export function changedRegion(
  before: string,
  after: string,
  context: number,
): ChangedRegion | undefined {
  if (before === after) return undefined;
  const prefix = commonPrefix(before, after);
  const suffix = commonSuffix(before, after, Math.min(before.length, after.length) - prefix);
  const start = lineStartBefore(before, prefix, context);
  // The equal rest begins with a whole line only where one begins in both texts.
  const isWhole =
    startsLine(before, before.length - suffix) && startsLine(after, after.length - suffix);
  const same = isWhole ? before.length - suffix : endOfLine(before, before.length - suffix);
  const end = linesBelow(before, same, context);
  const tail = before.length - end;
  return {
    before: before.slice(start, end),
    after: after.slice(start, after.length - tail),
    line: countNewlines(before, start),
  };
}

function commonPrefix(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  let at = 0;
  while (at + STEP <= shared && a.startsWith(b.slice(at, at + STEP), at)) at += STEP;
  while (at < shared && a.codePointAt(at) === b.codePointAt(at)) at += 1;
  return at;
}

function commonSuffix(a: string, b: string, shared: number): number {
  let size = 0;
  while (
    size + STEP <= shared &&
    a.startsWith(b.slice(b.length - size - STEP, b.length - size), a.length - size - STEP)
  ) {
    size += STEP;
  }
  while (size < shared && a[a.length - 1 - size] === b[b.length - 1 - size]) size += 1;
  return size;
}

/** Start of the line that holds `at`, or of one `lines` above it. */
function lineStartBefore(text: string, at: number, lines: number): number {
  let start = text.lastIndexOf('\n', at - 1) + 1;
  if (at === 0) start = 0;
  for (let left = lines; left > 0 && start > 0; left -= 1) {
    start = start === 1 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
  }
  return start;
}

function startsLine(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === '\n';
}

/** The end of so many lines from the start of one. */
function linesBelow(text: string, start: number, lines: number): number {
  let end = start;
  for (let left = lines; left > 0 && end < text.length; left -= 1) end = endOfLine(text, end);
  return end;
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length : at + 1;
}

function countNewlines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1))
    count += 1;
  return count;
}
