import { hasLinesAt } from './find-lines.ts';
import type { HunkSide, PreparedHunk } from './prepared-hunk.ts';
import type { SourceText } from './source-text.ts';

/**
 * A file and how literally its hunks take line ends. Hunks that all end their lines the same way say
 * nothing of line endings, so the file's count; hunks with both kinds do, and so do those that mark a
 * missing newline.
 */
export interface PatchTarget {
  readonly source: SourceText;
  readonly literalEndings: boolean;
  readonly literalNewline: boolean;
}

/** Reads from the hunks of a file how literally they are meant. */
export function toPatchTarget(source: SourceText, hunks: readonly PreparedHunk[]): PatchTarget {
  let bare = false;
  let carriage = false;
  let literalNewline = false;
  for (const { hunk } of hunks) {
    for (const line of hunk.lines) {
      if (!line.terminated) literalNewline = true;
      else if (line.text.endsWith('\r')) carriage = true;
      else bare = true;
    }
  }
  return { source, literalEndings: bare && carriage, literalNewline };
}

/** Whether one side of a hunk stands at a place of the file. */
export function isSideAt(target: PatchTarget, side: HunkSide, at: number): boolean {
  return hasLinesAt(target.source, side.keys, at) && endsAgree(target, side, at);
}

/** Whether a hunk whose old lines stand at a place may be applied there. */
export function fitsAt(target: PatchTarget, prepared: PreparedHunk, at: number): boolean {
  const { old, hunk } = prepared;
  const needsEnd = hunk.atEnd || prepared.new.terminated === false;
  if (needsEnd && at + old.keys.length !== target.source.lines.length) return false;
  return endsAgree(target, old, at);
}

/** For lines that are equal apart from their ends: whether the ends agree as far as the diff is literal. */
function endsAgree(target: PatchTarget, side: HunkSide, at: number): boolean {
  const { source, literalEndings, literalNewline } = target;
  const unfinished = at + side.keys.length === source.lines.length && !source.terminated;
  if (side.terminated === false && !unfinished) return false;
  if (side.terminated === true && unfinished && literalNewline) return false;
  return !literalEndings || areLinesLiteral(source, side, at);
}

/** Whether the lines are equal with their CRs. */
export function areLinesLiteral(source: SourceText, side: HunkSide, at: number): boolean {
  return side.texts.every((text, index) => source.lines[at + index] === text);
}
