import type { TextSplice } from '@toolwright/documents';
import { lineChanges, linesWithEndings } from '../change/line-changes.ts';
import type { TextMatch } from './find-text.ts';
import { withLineEndings } from './line-ending-at.ts';

/** A part of the search text that becomes something else: offsets into the search text. */
export interface SearchChange {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/**
 * What changes from a search text to its replacement, both with LF alone: changed lines, without what they have in
 * common at their ends. What stays is not written again, so it keeps the file's own bytes.
 */
export function searchChanges(search: string, replacement: string): SearchChange[] {
  const lines = linesWithEndings(search);
  const offsets = [0];
  for (const line of lines) offsets.push((offsets.at(-1) ?? 0) + line.length);
  return lineChanges(lines, linesWithEndings(replacement)).map(({ beforeLine, removed, added }) => {
    const start = offsets[beforeLine] ?? search.length;
    return narrowed(
      { start, end: start + removed.join('').length, replacement: added.join('') },
      search,
    );
  });
}

function narrowed(change: SearchChange, search: string): SearchChange {
  const old = search.slice(change.start, change.end);
  const { replacement } = change;
  const shared = Math.min(old.length, replacement.length);
  let prefix = 0;
  while (prefix < shared && old[prefix] === replacement[prefix]) prefix += 1;
  if (splitsPair(old, prefix) || splitsPair(replacement, prefix)) prefix -= 1;
  let suffix = 0;
  while (
    suffix < shared - prefix &&
    old[old.length - 1 - suffix] === replacement[replacement.length - 1 - suffix]
  ) {
    suffix += 1;
  }
  if (
    splitsPair(old, old.length - suffix) ||
    splitsPair(replacement, replacement.length - suffix)
  ) {
    suffix -= 1;
  }
  return {
    start: change.start + prefix,
    end: change.end - suffix,
    replacement: replacement.slice(prefix, replacement.length - suffix),
  };
}

/** Whether an offset lies between the two halves of a character beyond the Basic Multilingual Plane. */
function splitsPair(text: string, offset: number): boolean {
  return offset > 0 && offset < text.length && (text.codePointAt(offset - 1) ?? 0) > 0xffff;
}

/**
 * The changes as splices of the file's text at one match. Newlines that are added end as the line at that place does.
 */
export function composeSplices(
  text: string,
  match: TextMatch,
  search: { readonly text: string; readonly changes: readonly SearchChange[] },
): TextSplice[] {
  return search.changes.map((change) => {
    const atStart = change.start === 0;
    const atEnd = change.end === search.text.length;
    const start = atStart ? match.start : match.endAt(change.start);
    const end = atEnd ? match.end : match.startAt(change.end);
    if (start !== undefined && end !== undefined && start <= end) {
      return { start, end, replacement: withLineEndings(text, start, change.replacement) };
    }
    return wholeLines(text, match, { search: search.text, change });
  });
}

/** The change widened to the lines it stands in, where its own borders lie inside of characters matched whole. */
function wholeLines(
  text: string,
  match: TextMatch,
  { search, change }: { readonly search: string; readonly change: SearchChange },
): TextSplice {
  const from = change.start === 0 ? 0 : search.lastIndexOf('\n', change.start - 1) + 1;
  const newline = search.indexOf('\n', change.end);
  const to = newline < 0 ? search.length : newline;
  const start = from === 0 ? match.start : (match.startAt(from) ?? match.start);
  const end = to === search.length ? match.end : (match.endAt(to) ?? match.end);
  const replacement =
    search.slice(from, change.start) + change.replacement + search.slice(change.end, to);
  return { start, end, replacement: withLineEndings(text, start, replacement) };
}
