import type { PreparedHunk } from './prepared-hunk.ts';
import type { SourceText } from './source-text.ts';

/** A place that resembles the old lines of a hunk. */
export interface NearMiss {
  /** 1-based line of the file. */
  readonly line: number;
  /** The lines of the file there. */
  readonly text: string;
  /** Line by line: `-` what the diff expects, `+` what the file has, blank where both agree. */
  readonly diff: string;
  /** The first difference in words. */
  readonly note: string;
}

/** Bounds, so that a miss is answered in little time and space whatever the file is. */
const maxMisses = 3;
const maxHunkLines = 400;
const maxPositions = 500;
const maxFoldedLines = 200_000;
const maxShownLines = 16;
const maxShownCharacters = 160;

/**
 * The places of a file that most resemble the old lines of a hunk, best first; the place that the header
 * names when nothing does.
 *
 * @param expected 0-based line that the header names, or null
 */
export function nearMisses(
  source: SourceText,
  prepared: PreparedHunk,
  expected: number | null,
): readonly NearMiss[] {
  const wanted = prepared.old.keys.slice(0, maxHunkLines);
  const scores = scorePlaces(source, wanted);
  const distance = (at: number): number => Math.abs(at - (expected ?? 0));
  const places = [...scores]
    .sort(([a, x], [b, y]) => y - x || distance(a) - distance(b) || a - b)
    .slice(0, maxMisses)
    .map(([at]) => at);
  if (places.length === 0 && expected !== null && expected < source.keys.length) {
    places.push(Math.max(0, expected));
  }
  return places.map((at) => toNearMiss(source, wanted, at));
}

/** The lines at a place, cut to what can be shown. */
export function showLines(source: SourceText, at: number, count: number): string {
  const shown = source.keys.slice(at, at + Math.min(count, maxShownLines)).map(cut);
  if (count > maxShownLines) shown.push('…');
  return shown.join('\n');
}

/** What differs between two lines, in words. */
export function describeDifference(
  expected: string | undefined,
  actual: string | undefined,
): string {
  if (expected === undefined || actual === undefined) return 'the file ends there';
  if (expected.trimEnd() === actual.trimEnd())
    return 'only white space at the end of the line differs';
  if (expected.trim() === actual.trim()) return 'only the indentation differs';
  if (expected.replace(/\s+/gu, '') === actual.replace(/\s+/gu, ''))
    return 'only white space differs';
  const wanted = Array.from(expected);
  const found = Array.from(actual);
  let column = 0;
  while (column < wanted.length && wanted[column] === found[column]) column += 1;
  return `column ${column + 1}: the diff has ${nameOf(wanted[column])}, the file ${nameOf(found[column])}`;
}

function scorePlaces(source: SourceText, wanted: readonly string[]): Map<number, number> {
  const scores = new Map<number, number>();
  const vote = (positions: readonly number[], index: number, weight: number): void => {
    for (const position of positions.length > maxPositions ? [] : positions) {
      const at = position - index;
      if (at >= 0) scores.set(at, (scores.get(at) ?? 0) + weight);
    }
  };
  for (const [index, key] of wanted.entries()) {
    if (key.trim() !== '') vote(source.positionsOf(key), index, 2);
  }
  if (source.keys.length > maxFoldedLines) return scores;
  const folded = new Map<string, number[]>();
  for (const key of wanted) if (key.trim() !== '') folded.set(fold(key), []);
  for (const [position, key] of source.keys.entries()) folded.get(fold(key))?.push(position);
  for (const [index, key] of wanted.entries()) vote(folded.get(fold(key)) ?? [], index, 1);
  return scores;
}

/** What two lines that look alike have in common. */
function fold(line: string): string {
  return line
    .slice(0, 1000)
    .normalize('NFKC')
    .replace(/[\u2010-\u2015\u2212]/gu, '-')
    .replace(/[\u2018\u2019]/gu, "'")
    .replace(/[\u201C\u201D]/gu, '"')
    .replace(/\s+/gu, '')
    .toLowerCase();
}

function toNearMiss(source: SourceText, wanted: readonly string[], at: number): NearMiss {
  const first = wanted.findIndex((key, index) => source.keys[at + index] !== key);
  const from = Math.max(0, first - 3);
  const rows: string[] = [];
  for (let index = from; index < Math.min(wanted.length, from + maxShownLines); index += 1) {
    const expected = wanted[index] ?? '';
    const actual = source.keys[at + index];
    if (expected === actual) rows.push(` ${cut(expected)}`);
    else {
      rows.push(`-${cut(expected)}`);
      if (actual !== undefined) rows.push(`+${cut(actual)}`);
    }
  }
  return {
    line: at + 1,
    text: showLines(source, at, wanted.length),
    diff: rows.join('\n'),
    note:
      first === -1
        ? 'the lines agree, but not where the file ends or how its lines end'
        : `line ${at + first + 1}: ${describeDifference(wanted[first], source.keys[at + first])}`,
  };
}

function cut(line: string): string {
  const points = Array.from(line.slice(0, maxShownCharacters + 1));
  return points.length > maxShownCharacters
    ? `${points.slice(0, maxShownCharacters).join('')}…`
    : line;
}

function nameOf(character: string | undefined): string {
  if (character === undefined) return 'no more text';
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return /[\p{C}\p{Z}]/u.test(character) ? `U+${code}` : `"${character}" (U+${code})`;
}
