import { GlobError } from './glob-error.ts';

/** Alternatives that one pattern may have once its braces are written out. */
export const maxAlternatives = 1000;

/**
 * Writes out `{a,b}`, `{1..9}` and `{a..e}`, nested ones too, and keeps the rest as it is. A single alternative
 * loses its braces; a brace that never closes, or is escaped, is a character. Errors: {@link GlobError} for more
 * than {@link maxAlternatives}.
 */
export function expandBraces(pattern: string): string[] {
  const brace = firstBrace(pattern);
  if (brace === undefined) return [pattern];
  const { start, end, commas } = brace;
  const body = pattern.slice(start + 1, end);
  const branches =
    commas.length === 0 ? (expandRange(body) ?? [body]) : splitAt(pattern, [start, ...commas, end]);
  const heads = branches.flatMap((branch) => expandBraces(branch));
  const tails = expandBraces(pattern.slice(end + 1));
  if (heads.length * tails.length > maxAlternatives) throw tooMany();
  const before = pattern.slice(0, start);
  return heads.flatMap((head) => tails.map((tail) => before + head + tail));
}

interface Brace {
  readonly start: number;
  readonly end: number;
  readonly commas: readonly number[];
}

/** The first brace that closes; classes and escapes are passed over. */
function firstBrace(pattern: string): Brace | undefined {
  for (let i = 0; i < pattern.length; i += 1) {
    if (pattern[i] === '\\') i += 1;
    else if (pattern[i] === '[') i = endOfClass(pattern, i);
    else if (pattern[i] === '{') {
      const brace = closeBrace(pattern, i);
      if (brace !== undefined) return brace;
    }
  }
  return undefined;
}

function closeBrace(pattern: string, start: number): Brace | undefined {
  const commas: number[] = [];
  let depth = 0;
  for (let i = start; i < pattern.length; i += 1) {
    const character = pattern[i];
    if (character === '\\') i += 1;
    else if (character === '[') i = endOfClass(pattern, i);
    else if (character === '{') depth += 1;
    else if (character === ',' && depth === 1) commas.push(i);
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return i === start + 1 ? undefined : { start, end: i, commas };
    }
  }
  return undefined;
}

/** The index of the `]` of a class, or of its `[` when there is none. */
function endOfClass(pattern: string, start: number): number {
  let i = start + 1;
  if (pattern[i] === '!' || pattern[i] === '^') i += 1;
  if (pattern[i] === ']') i += 1;
  for (; i < pattern.length && pattern[i] !== '/'; i += 1) {
    if (pattern[i] === '\\') i += 1;
    else if (pattern[i] === ']') return i;
  }
  return start;
}

function splitAt(pattern: string, places: readonly number[]): string[] {
  return places.slice(1).map((end, index) => pattern.slice((places[index] ?? 0) + 1, end));
}

function expandRange(body: string): string[] | undefined {
  const numbers = /^(-?\d{1,6})\.\.(-?\d{1,6})$/.exec(body);
  if (numbers !== null) {
    return steps(Number(numbers[1]), Number(numbers[2])).map(String);
  }
  const letters = /^([A-Za-z])\.\.([A-Za-z])$/.exec(body);
  if (letters === null) return undefined;
  return steps(body.charCodeAt(0), body.charCodeAt(3)).map((code) => String.fromCharCode(code));
}

function steps(from: number, to: number): number[] {
  const length = Math.abs(to - from) + 1;
  if (length > maxAlternatives) throw tooMany();
  return Array.from({ length }, (_, index) => from + (to < from ? -index : index));
}

function tooMany(): GlobError {
  return new GlobError(
    `the braces of the pattern stand for more than ${maxAlternatives} patterns; use * or fewer alternatives`,
  );
}
