import {
  includesCodePoint,
  maxCodePoint,
  rangesOf,
  setOf,
  type CodePointSet,
} from './code-point-set.ts';
import { assertions, opcode, type Program } from './compile-program.ts';
import { RegexError } from './syntax.ts';
import { wordSet } from './unicode-classes.ts';

/**
 * The characters of a program, sorted into classes that it cannot tell apart, so that an automaton's row
 * needs one cell a class. Class 0 holds what no set mentions, and bytes that are no UTF-8.
 */
export interface SymbolClasses {
  readonly count: number;
  /** Two-stage table: `pages[pageOf[codePoint >> 8] * 256 + (codePoint & 255)]` is the class. */
  readonly pageOf: Uint16Array;
  readonly pages: Uint16Array;
  /** For each set of the program: which classes are in it. */
  readonly members: readonly Uint8Array[];
  /** Classes of line terminators and of word characters. */
  readonly isLine: Uint8Array;
  readonly isWord: Uint8Array;
}

/** What ends a line (or, in globs, a path segment). */
export interface SymbolOptions {
  readonly terminator: number;
}

const maxClasses = 4096;

/** Sorts the characters that a program speaks of into classes. Errors: {@link RegexError} with `too_large`. */
export function classifySymbols(program: Program, options: SymbolOptions): SymbolClasses {
  const terminator = setOf(options.terminator);
  const word = usesWords(program) ? wordSet() : [];
  const sets: readonly CodePointSet[] = [...program.sets, terminator, word];
  const starts = boundariesOf(sets);
  const classOfKey = new Map<string, number>([['', 0]]);
  const classOfInterval = starts.map((start) => {
    const key = sets.flatMap((set, index) => (includesCodePoint(set, start) ? [index] : [])).join();
    const known = classOfKey.get(key);
    if (known !== undefined) return known;
    classOfKey.set(key, classOfKey.size);
    return classOfKey.size - 1;
  });
  const count = classOfKey.size;
  if (count > maxClasses) {
    throw new RegexError('too_large', 'the pattern tells too many different characters apart');
  }
  const holding = (index: number) => {
    const flags = new Uint8Array(count);
    for (const [key, symbol] of classOfKey) {
      if (key.split(',').includes(String(index))) flags[symbol] = 1;
    }
    return flags;
  };
  return {
    count,
    ...layOutPages(starts, classOfInterval),
    members: program.sets.map((_, index) => holding(index)),
    isLine: holding(program.sets.length),
    isWord: holding(program.sets.length + 1),
  };
}

/** The class of a code point. */
export function classOf(classes: SymbolClasses, codePoint: number): number {
  const page = classes.pageOf[codePoint >> 8] ?? 0;
  return classes.pages[(page << 8) + (codePoint & 255)] ?? 0;
}

/** Where each interval begins whose characters are in the same sets; the first is 0. */
function boundariesOf(sets: readonly CodePointSet[]): number[] {
  const starts = new Set([0]);
  for (const set of sets) {
    for (const [low, high] of rangesOf(set)) {
      starts.add(low);
      if (high < maxCodePoint) starts.add(high + 1);
    }
  }
  return [...starts].toSorted((a, b) => a - b);
}

function layOutPages(
  starts: readonly number[],
  classOfInterval: readonly number[],
): { pageOf: Uint16Array; pages: Uint16Array } {
  const pageOf = new Uint16Array((maxCodePoint + 1) >> 8);
  const cells: number[] = [];
  const uniform = new Map<number, number>();
  let interval = 0;
  for (let page = 0; page < pageOf.length; page += 1) {
    const first = page << 8;
    while ((starts[interval + 1] ?? Infinity) <= first) interval += 1;
    const symbol = classOfInterval[interval] ?? 0;
    const isUniform = (starts[interval + 1] ?? Infinity) > first + 255;
    const shared = isUniform ? uniform.get(symbol) : undefined;
    if (shared !== undefined) {
      // Nearly all pages lie in a few long intervals.
      const end = (starts[interval + 1] ?? maxCodePoint + 1) >> 8;
      pageOf.fill(shared, page, end);
      page = end - 1;
      continue;
    }
    const index = cells.length >> 8;
    if (isUniform) uniform.set(symbol, index);
    pageOf[page] = index;
    for (let codePoint = first, at = interval; codePoint <= first + 255; codePoint += 1) {
      while ((starts[at + 1] ?? Infinity) <= codePoint) at += 1;
      cells.push(classOfInterval[at] ?? 0);
    }
  }
  return { pageOf, pages: Uint16Array.from(cells) };
}

function usesWords(program: Program): boolean {
  return program.ops.some(
    (op, step) =>
      op === opcode.assert && (assertions[program.xs[step] ?? 0] ?? '').includes('word'),
  );
}
