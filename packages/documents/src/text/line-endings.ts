/** How the lines of a text end: all alike, mixed, or not at all (one line, or old Mac CR alone). */
export type LineEndings = 'lf' | 'crlf' | 'mixed' | 'none';

/** Counts of line endings; each CRLF counts as an LF too. */
export interface LineEndingCounts {
  readonly lf: number;
  readonly crlf: number;
}

/** Names the line endings of a text by their counts. */
export function lineEndingsOf(counts: LineEndingCounts): LineEndings {
  if (counts.lf === 0) return 'none';
  if (counts.crlf === 0) return 'lf';
  return counts.crlf === counts.lf ? 'crlf' : 'mixed';
}

/** Counts the line endings of a text. A lone CR ends no line. */
export function countLineEndings(text: string): LineEndingCounts {
  let lf = 0;
  let crlf = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    lf += 1;
    if (text.codePointAt(at - 1) === 13) crlf += 1;
  }
  return { lf, crlf };
}

/**
 * Lines of a text without their endings: split at LF, a CR before it dropped, and no phantom line after a final newline.
 * The empty text has no line.
 */
export function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  const whole = lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  return last === '' ? whole : [...whole, last];
}
