import type { Hunk, HunkLine } from './hunk.ts';
import { changedSpan, locateHunks, type Location } from './locate.ts';
import { fittedText } from './fitted-text.ts';
import { areLinesLiteral, toPatchTarget, type PatchTarget } from './match-side.ts';
import { prepareHunk, type PreparedHunk } from './prepared-hunk.ts';
import { toSourceText, type SourceText } from './source-text.ts';

/** Where a hunk was applied. */
export interface AppliedHunk {
  /** 1-based line of the file as it was: the first old line, or the one before which text was inserted. */
  readonly line: number;
  /** Lines between where the header says and `line`; 0 when the header says nothing. */
  readonly offset: number;
}

/** The patched text, or where each hunk stands when they do not all fit. */
export type AppliedText =
  | { readonly kind: 'applied'; readonly text: string; readonly hunks: readonly AppliedHunk[] }
  | {
      readonly kind: 'failed';
      readonly source: SourceText;
      readonly hunks: readonly PreparedHunk[];
      readonly locations: readonly Location[];
    };

/**
 * Applies all hunks of a file or none. Old lines are matched exactly, line endings aside (see
 * `PatchTarget`); text outside the changed lines is not touched. Added lines get the ending of the line
 * that they replace or follow, unless the old lines are in the file with the very endings of the diff:
 * then they stand as the diff has them. A file without a final newline stays so unless the diff marks it.
 * A byte order mark counts as part of the first line only for hunks that show it.
 */
export function applyHunks(text: string, hunks: readonly Hunk[]): AppliedText {
  const mark = text.startsWith('\uFEFF') && !showsByteOrderMark(hunks) ? '\uFEFF' : '';
  const source = toSourceText(text.slice(mark.length));
  const prepared = hunks.map(prepareHunk);
  const target = toPatchTarget(source, prepared);
  const locations = locateHunks(target, prepared);
  const changes: Change[] = [];
  const applied: AppliedHunk[] = [];
  for (const [index, location] of locations.entries()) {
    const hunk = prepared[index];
    if (location.kind !== 'placed' || hunk === undefined) {
      return { kind: 'failed', source, hunks: prepared, locations };
    }
    changes.push(toChange(target, hunk, location.at));
    applied.push({ line: location.at + 1, offset: location.offset });
  }
  return { kind: 'applied', text: mark + splice(source, changes), hunks: applied };
}

/** The lines that a diff adds, as the content of a new file. */
export function addedText(hunks: readonly Hunk[]): string {
  let text = '';
  for (const hunk of hunks) {
    for (const line of hunk.lines) text += line.text + (line.terminated ? '\n' : '');
  }
  return text;
}

/** New text for a range of lines. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function showsByteOrderMark(hunks: readonly Hunk[]): boolean {
  return hunks.some((hunk) => hunk.lines.some((line) => line.text.startsWith('\uFEFF')));
}

function splice(source: SourceText, changes: readonly Change[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const change of changes.toSorted((a, b) => a.start - b.start)) {
    pieces.push(source.text.slice(from, source.offsetOf(change.start)), change.text);
    from = source.offsetOf(change.end);
  }
  pieces.push(source.text.slice(from));
  return pieces.join('');
}

function toChange(target: PatchTarget, prepared: PreparedHunk, at: number): Change {
  const span = changedSpan(prepared, at);
  const { lines } = prepared.hunk;
  const changed = lines.slice(prepared.leading, lines.length - prepared.trailing);
  const text = isLiteral(target, prepared, at)
    ? literalText(target.source, span.start, changed)
    : fittedText(target, span, changed);
  return { ...span, text };
}

/** Whether the old lines are in the file with the very endings that the diff gives them. */
function isLiteral(target: PatchTarget, { old }: PreparedHunk, at: number): boolean {
  const { source } = target;
  if (old.terminated === null) {
    const appends = at === source.lines.length && !source.terminated;
    return source.lines.length === 0 || (target.literalEndings && !appends);
  }
  const unfinished = at + old.keys.length === source.lines.length && !source.terminated;
  return old.terminated !== unfinished && areLinesLiteral(source, old, at);
}

function literalText(source: SourceText, start: number, changed: readonly HunkLine[]): string {
  let at = start;
  let text = '';
  for (const line of changed) {
    if (line.kind === 'add') text += line.text + (line.terminated ? '\n' : '');
    if (line.kind === 'context') {
      text += source.text.slice(source.offsetOf(at), source.offsetOf(at + 1));
    }
    if (line.kind !== 'add') at += 1;
  }
  return text;
}
