/** What a line of a hunk says of the file. */
export type HunkLineKind = 'context' | 'remove' | 'add';

/** One line of a hunk. */
export interface HunkLine {
  readonly kind: HunkLineKind;
  /** The line without its prefix and its LF; a CR before the LF is still there. */
  readonly text: string;
  /** False when the diff marks it `\ No newline at end of file`. */
  readonly terminated: boolean;
}

/** A change at one place of one file. */
export interface Hunk {
  /** 1-based among the hunks of its file. */
  readonly number: number;
  /** 1-based line of the diff where it begins. */
  readonly diffLine: number;
  /**
   * The old-side start as the header gives it: 1-based, or the line after which to insert where the old
   * side is empty. Null when the header names no line.
   */
  readonly start: number | null;
  /** The new-side start as the header gives it, counted likewise. */
  readonly newStart: number | null;
  /** Lines of the file, one inside the other, after which the hunk stands (V4A's `@@ …`). */
  readonly anchors: readonly string[];
  /** Its last old line is the last of the file (V4A's `*** End of File`). */
  readonly atEnd: boolean;
  readonly lines: readonly HunkLine[];
}

/** The text of the lines that the file has before the change. */
export function oldLines(hunk: Hunk): readonly HunkLine[] {
  return hunk.lines.filter((line) => line.kind !== 'add');
}

/** The text of the lines that the file has after the change. */
export function newLines(hunk: Hunk): readonly HunkLine[] {
  return hunk.lines.filter((line) => line.kind !== 'remove');
}
