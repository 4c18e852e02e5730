import { trimCr } from './diff-lines.ts';
import type { HunkCounts, HunkHeader } from './hunk-header.ts';
import type { HunkLine, HunkLineKind } from './hunk.ts';
import { malformedDiff } from './malformed-diff.ts';

/** The lines of a hunk, and the index of the first line of the diff after them. */
export interface HunkBody {
  readonly lines: readonly HunkLine[];
  readonly next: number;
}

type NumberedHeader = Extract<HunkHeader, { kind: 'numbered' }>;

interface MutableHunkLine {
  kind: HunkLineKind;
  text: string;
  terminated: boolean;
}

/**
 * Reads the body of a numbered hunk. The counts alone decide where it ends, so that a removed `-- note` is
 * no file header and an added `++ b/x` none either. Counts that the lines cannot meet are refused with the
 * header that would fit.
 *
 * @param at index of the first line after the header
 * @throws ToolError `invalid_argument`/`hunk_counts`
 */
export function readCountedBody(
  lines: readonly string[],
  at: number,
  header: NumberedHeader,
): HunkBody {
  const body: MutableHunkLine[] = [];
  let { old: oldLeft, new: newLeft } = header.counts;
  let next = at;
  while (oldLeft > 0 || newLeft > 0) {
    const line = lines[next];
    const kind = line === undefined ? undefined : lineKind(line);
    if (line === undefined || kind === undefined) throw countsError(lines, at, header);
    next += 1;
    if (kind === 'marker') {
      markUnterminated(body, next);
      continue;
    }
    if (kind !== 'add') oldLeft -= 1;
    if (kind !== 'remove') newLeft -= 1;
    if (oldLeft < 0 || newLeft < 0) throw countsError(lines, at, header);
    body.push({ kind, text: lineText(line), terminated: true });
  }
  if (lines[next]?.startsWith('\\') === true) {
    next += 1;
    markUnterminated(body, next);
  }
  if (continuesAsHunk(lines, next)) throw countsError(lines, at, header);
  assertMarkersAtEnd(body, at);
  return { lines: body, next };
}

/**
 * Reads the body of a hunk without counts: it ends before the first line that is no hunk line, or at which
 * `isEnd` says so. Blank lines at its end belong to the text around it.
 *
 * @param at index of the first line after the header
 */
export function readShapedBody(
  lines: readonly string[],
  at: number,
  isEnd: (index: number) => boolean,
): HunkBody {
  const body: MutableHunkLine[] = [];
  let next = at;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    const kind = lineKind(line);
    if (kind === undefined || isEnd(next)) break;
    if (kind === 'marker') markUnterminated(body, next + 1);
    else body.push({ kind, text: lineText(line), terminated: true });
  }
  for (let last = next - 1; last >= at && trimCr(lines[last] ?? '') === ''; last -= 1) body.pop();
  assertMarkersAtEnd(body, at);
  return { lines: body, next };
}

/** Whether a `---`/`+++` pair of file names begins at this line. */
export function isFileHeader(lines: readonly string[], at: number): boolean {
  return lines[at]?.startsWith('--- ') === true && /^\+\+\+ ./u.test(lines[at + 1] ?? '');
}

/** Where a body without counts ends at the latest: before the next hunk or file. */
export function isUnifiedBoundary(lines: readonly string[], at: number): boolean {
  return lines[at]?.startsWith('diff --git ') === true || isFileHeader(lines, at);
}

/** What the first character says; a line that lost its blank prefix is blank context, as in GNU diff. */
function lineKind(line: string): HunkLineKind | 'marker' | undefined {
  switch (line[0]) {
    case ' ':
    case '\r':
    case undefined:
      return line.length > 1 && line.startsWith('\r') ? undefined : 'context';
    case '-':
      return 'remove';
    case '+':
      return 'add';
    case '\\':
      return 'marker';
    default:
      return undefined;
  }
}

function lineText(line: string): string {
  return line === '\r' ? line : line.slice(1);
}

function markUnterminated(body: readonly MutableHunkLine[], diffLine: number): void {
  const last = body.at(-1);
  if (last === undefined) {
    throw malformedDiff(diffLine, 'a "\\ No newline at end of file" mark follows no line.');
  }
  last.terminated = false;
}

/** A line without a newline can only be the last one of its side. */
function assertMarkersAtEnd(body: readonly HunkLine[], at: number): void {
  for (const side of ['add', 'remove'] as const) {
    const last = body.findLastIndex((line) => line.kind !== side);
    const wrong = body.findIndex(
      (line, index) => !line.terminated && line.kind !== side && index < last,
    );
    if (wrong !== -1) {
      throw malformedDiff(
        at + wrong + 1,
        'a line marked "\\ No newline at end of file" is followed by more lines of its hunk.',
      );
    }
  }
}

/**
 * Whether changed lines follow directly on a hunk whose counts are met, so that the counts were too small
 * and text would be lost. A mail trailer, a rule, the next header and lists in prose are none.
 */
function continuesAsHunk(lines: readonly string[], at: number): boolean {
  let afterBlank = false;
  for (let index = at; index < lines.length; index += 1) {
    const line = trimCr(lines[index] ?? '');
    if (line === '') {
      afterBlank = true;
      continue;
    }
    if (/^(?:-- ?|---)$/u.test(line) || isUnifiedBoundary(lines, index)) return false;
    if (line.startsWith(' ')) continue;
    if (!/^[+-]/u.test(line)) return false;
    if (!afterBlank || !/^[+-] \S/u.test(line)) return true;
  }
  return false;
}

function countsError(lines: readonly string[], at: number, header: NumberedHeader): Error {
  const found = shapeCounts(lines, at);
  const { counts, oldStart, newStart } = header;
  return malformedDiff(
    at,
    `the hunk header says ${counts.old} old and ${counts.new} new lines, but the lines that follow are ` +
      `${found.old} old (blank or "-" prefix) and ${found.new} new (blank or "+" prefix). Count again and ` +
      `write the header as "@@ -${oldStart},${found.old} +${newStart},${found.new} @@", or give it no ` +
      'numbers ("@@"); every line of a hunk needs its prefix, and prose after a hunk needs a blank line before it.',
    'hunk_counts',
  );
}

function shapeCounts(lines: readonly string[], at: number): HunkCounts {
  let old = 0;
  let created = 0;
  let blank = 0;
  for (let index = at; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const kind = lineKind(line);
    if (kind === undefined || isUnifiedBoundary(lines, index) || /^--\s*$/u.test(line)) break;
    if (kind === 'marker') continue;
    blank = trimCr(line) === '' ? blank + 1 : 0;
    if (kind !== 'add') old += 1;
    if (kind !== 'remove') created += 1;
  }
  return { old: old - blank, new: created - blank };
}
