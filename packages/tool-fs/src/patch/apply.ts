import type { TextSplice } from './edited-text.ts';
import { fittedText } from './fitted-text.ts';
import type { Hunk, HunkLine } from './hunk.ts';
import { changedSpan, locateHunks, type Location } from './locate.ts';
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

/** What the hunks replace in a text, or where each stands when they do not all fit. */
export type HunkOutcome =
  | {
      readonly kind: 'applied';
      /** Ascending and disjoint. */
      readonly splices: readonly TextSplice[];
      readonly hunks: readonly AppliedHunk[];
    }
  | {
      readonly kind: 'failed';
      readonly source: SourceText;
      readonly hunks: readonly PreparedHunk[];
      readonly locations: readonly Location[];
    };

/**
 * Computes what all hunks of a file replace in its text, or that they do not all fit. Old lines are matched
 * exactly, line endings aside (see `PatchTarget`); text outside the changed lines is not touched. Added
 * lines get the ending of the line that they replace or follow, unless the old lines are in the file with
 * the very endings of the diff: then they stand as the diff has them. A file without a final newline stays
 * so unless the diff marks it. A byte order mark is part of the first line only for hunks that show it.
 */
export function applyHunks(text: string, hunks: readonly Hunk[]): HunkOutcome {
  const skipped = text.startsWith('\uFEFF') && !showByteOrderMark(hunks) ? 1 : 0;
  const source = toSourceText(text.slice(skipped));
  const prepared = hunks.map(prepareHunk);
  const target = toPatchTarget(source, prepared);
  const locations = locateHunks(target, prepared);
  const splices: TextSplice[] = [];
  const applied: AppliedHunk[] = [];
  for (const [index, location] of locations.entries()) {
    const hunk = prepared[index];
    if (location.kind !== 'placed' || hunk === undefined) {
      return { kind: 'failed', source, hunks: prepared, locations };
    }
    const { start, end, replacement } = toSplice(target, hunk, location.at);
    splices.push({ start: start + skipped, end: end + skipped, replacement });
    applied.push({ line: location.at + 1, offset: location.offset });
  }
  splices.sort((a, b) => a.start - b.start || a.end - b.end);
  return { kind: 'applied', splices, hunks: applied };
}

/** The lines that a diff adds, as the content of a new file. */
export function addedText(hunks: readonly Hunk[]): string {
  let text = '';
  for (const hunk of hunks) {
    for (const line of hunk.lines) text += line.text + (line.terminated ? '\n' : '');
  }
  return text;
}

function showByteOrderMark(hunks: readonly Hunk[]): boolean {
  return hunks.some((hunk) => hunk.lines.some((line) => line.text.startsWith('\uFEFF')));
}

function toSplice(target: PatchTarget, prepared: PreparedHunk, at: number): TextSplice {
  const { source } = target;
  const span = changedSpan(prepared, at);
  const { lines } = prepared.hunk;
  const changed = lines.slice(prepared.leading, lines.length - prepared.trailing);
  return {
    start: source.offsetOf(span.start),
    end: source.offsetOf(span.end),
    replacement: isLiteral(target, prepared, at)
      ? literalText(source, span.start, changed)
      : fittedText(target, span, changed),
  };
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
