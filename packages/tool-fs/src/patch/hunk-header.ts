import { trimCr } from './diff-lines.ts';
import { malformedDiff } from './malformed-diff.ts';

/** How many lines a hunk has on each side. */
export interface HunkCounts {
  readonly old: number;
  readonly new: number;
}

/** What stands on an `@@` line: ranges, or at most a line of the file to look for. */
export type HunkHeader =
  | {
      readonly kind: 'numbered';
      readonly oldStart: number;
      readonly newStart: number;
      readonly counts: HunkCounts;
    }
  /** `anchor` is empty for a bare `@@` and for `@@ ... @@`. */
  | { readonly kind: 'anchored'; readonly anchor: string };

const ranges = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))?(?: @@|$)/u;

/**
 * Reads a line that begins with `@@`. The heading that git puts after the ranges is ignored: it may be of
 * another place.
 *
 * @param diffLine 1-based, for the error
 * @throws ToolError `invalid_argument`/`malformed_diff` for ranges that are none
 */
export function readHunkHeader(line: string, diffLine: number): HunkHeader {
  const text = trimCr(line);
  const match = ranges.exec(text);
  if (match !== null) {
    const [, oldStart, oldCount, newStart, newCount] = match;
    return {
      kind: 'numbered',
      oldStart: Number(oldStart),
      newStart: Number(newStart),
      counts: { old: Number(oldCount ?? 1), new: Number(newCount ?? 1) },
    };
  }
  if (/^@@ -\d/u.test(text)) {
    throw malformedDiff(
      diffLine,
      'the ranges of this hunk header cannot be read; the form is "@@ -START,COUNT +START,COUNT @@".',
    );
  }
  const anchor = text.replace(/^@@ ?/u, '').replace(/ ?@@$/u, '');
  return { kind: 'anchored', anchor: ['', '...', '…'].includes(anchor.trim()) ? '' : anchor };
}
