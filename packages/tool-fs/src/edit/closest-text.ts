import { diffChars } from 'diff';

/** A place that a search text may have meant. */
export interface EditCandidate {
  /** 1-based first line. */
  readonly line: number;
  /** What stands there, cut when long. */
  readonly text: string;
  /** The search text turned into it: `[-only in the search text-]`, `{+only in the file+}`; empty when not compared. */
  readonly diff: string;
}

/** Candidates that an answer names. */
const MAX_CANDIDATES = 3;
/** Characters of a candidate's text. */
const MAX_SHOWN = 1_200;
/** A line that stands more often than this in the file says nothing about the place. */
const MAX_REPEATS = 64;
/** Steps of comparing, of all lines together: bounds the time, not the clock, so that equal files give equal answers. */
const MAX_STEPS = 2_000_000;
/** Characters of a line that are compared. */
const MAX_COMPARED = 160;
/** Share of common letter triples from which a line counts as similar. */
const MIN_SIMILARITY = 0.4;
/** Differing characters up to which a character diff is made. */
const MAX_DIFFERENCES = 400;

/**
 * The places of a text (with LF alone) that are most like a search text which does not stand in it: those with the most
 * lines in common, or, when no line agrees, those with the most similar one. Ties go to the earlier line.
 */
export function closestText(text: string, search: string): EditCandidate[] {
  const lines = text.split('\n');
  const wanted = search.replace(/\n$/, '').split('\n');
  const starts = byCommonLines(lines, wanted);
  const found = starts.length > 0 ? starts : bySimilarLine(lines, wanted);
  return found.slice(0, MAX_CANDIDATES).map((start) => {
    const shown = lines.slice(start, start + wanted.length).join('\n');
    return { line: start + 1, text: cut(shown), diff: characterDiff(wanted.join('\n'), shown) };
  });
}

/** A place with the text at it, for an answer that several places agree. */
export function candidateAt(
  text: string,
  place: { readonly start: number; readonly end: number },
  search: string,
): EditCandidate {
  const from = text.lastIndexOf('\n', place.start - 1) + 1;
  const start = place.start === 0 ? 0 : from;
  const newline = text.indexOf('\n', Math.max(place.end - 1, start));
  const shown = text.slice(start, newline < 0 ? text.length : newline).replaceAll('\r\n', '\n');
  const found = text.slice(place.start, place.end).replaceAll('\r\n', '\n');
  return {
    line: lineOf(text, place.start),
    text: cut(shown),
    diff: found === search ? '' : characterDiff(search, found),
  };
}

/** The 1-based number of the line that holds an offset. */
function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
  }
  return line;
}

/** Places by how many lines agree, white space aside, when the search text is laid there. */
function byCommonLines(lines: readonly string[], wanted: readonly string[]): number[] {
  const places = new Map<string, number[]>();
  for (const line of wanted) if (/\w/u.test(line)) places.set(line.trim(), []);
  for (const [index, line] of lines.entries()) {
    const known = places.get(line.trim());
    if (known !== undefined && known.length <= MAX_REPEATS) known.push(index);
  }
  const votes = new Map<number, number>();
  for (const [index, line] of wanted.entries()) {
    const known = places.get(line.trim()) ?? [];
    if (known.length > MAX_REPEATS) continue;
    for (const place of known) {
      const start = Math.max(0, place - index);
      votes.set(start, (votes.get(start) ?? 0) + 1);
    }
  }
  return ranked(votes);
}

/** Places by how similar a line is to the most telling line of the search text. */
function bySimilarLine(lines: readonly string[], wanted: readonly string[]): number[] {
  let index = 0;
  for (const [other, line] of wanted.entries()) {
    if (line.trim().length > (wanted[index] ?? '').trim().length) index = other;
  }
  const triples = new Set(triplesOf((wanted[index] ?? '').trim()));
  if (triples.size === 0) return [];
  const scores = new Map<number, number>();
  let steps = 0;
  for (const [at, line] of lines.entries()) {
    const found = triplesOf(line.trim());
    steps += found.length;
    if (steps > MAX_STEPS) break;
    if (found.length * 3 < triples.size || found.length > triples.size * 3) continue;
    const common = new Set(found.filter((triple) => triples.has(triple))).size;
    const score = (2 * common) / (triples.size + new Set(found).size);
    if (score >= MIN_SIMILARITY) scores.set(Math.max(0, at - index), score);
  }
  return ranked(scores);
}

function triplesOf(line: string): string[] {
  const text = line.slice(0, MAX_COMPARED).toLowerCase();
  if (text.length < 3) return text === '' ? [] : [text];
  return Array.from({ length: text.length - 2 }, (_, at) => text.slice(at, at + 3));
}

function ranked(scores: ReadonlyMap<number, number>): number[] {
  return Array.from(scores)
    .toSorted(([lineA, a], [lineB, b]) => b - a || lineA - lineB)
    .map(([line]) => line);
}

/** A diff by characters; empty where the texts differ too much for one to help. */
function characterDiff(search: string, found: string): string {
  if (Math.max(search.length, found.length) > 2 * MAX_SHOWN) return '';
  const parts = diffChars(search, found, { maxEditLength: MAX_DIFFERENCES });
  if (parts === undefined) return '';
  return parts
    .map(({ value, added, removed }) => (added ? `{+${value}+}` : removed ? `[-${value}-]` : value))
    .join('');
}

function cut(text: string): string {
  if (text.length <= MAX_SHOWN) return text;
  const end = (text.codePointAt(MAX_SHOWN - 1) ?? 0) > 0xffff ? MAX_SHOWN - 1 : MAX_SHOWN;
  return `${text.slice(0, end)}…`;
}
