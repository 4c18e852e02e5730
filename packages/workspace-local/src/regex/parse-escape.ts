import { complementOf, maxCodePoint, type CodePointSet } from './code-point-set.ts';
import type { PatternCursor } from './pattern-cursor.ts';
import { RegexError, type Assertion } from './syntax.ts';
import { digitSet, spaceSet, unicodeProperty, wordSet } from './unicode-classes.ts';

/** What a backslash sequence stands for. */
export type Escape =
  | { readonly kind: 'character'; readonly codePoint: number }
  | { readonly kind: 'class'; readonly set: CodePointSet }
  | { readonly kind: 'assertion'; readonly assertion: Assertion };

/** Reads what follows a backslash that has been taken. */
export function parseEscape(cursor: PatternCursor): Escape {
  const start = cursor.position - 1;
  if (cursor.atEnd) throw cursor.error('the pattern ends in a lone backslash', start);
  const letter = cursor.take();
  const control = controls.get(letter);
  if (control !== undefined) return { kind: 'character', codePoint: control };
  const named = classes.get(letter);
  if (named !== undefined) return { kind: 'class', set: named() };
  const assertion = assertions.get(letter);
  if (assertion !== undefined) {
    return { kind: 'assertion', assertion: letter === 'b' ? wordEdge(cursor) : assertion };
  }
  if (letter === 'x' || letter === 'u' || letter === 'U') return hexEscape(cursor, letter);
  if (letter === 'p' || letter === 'P') return propertyEscape(cursor, letter === 'P');
  if (/^[0-9]$/.test(letter)) {
    throw new RegexError(
      'back_reference',
      `back-references such as \\${letter} are not supported: matching takes linear time, which rules them out. Write the repeated text out, or search for a simpler pattern and look at the lines`,
    );
  }
  if (letter === 'k') {
    throw new RegexError(
      'back_reference',
      'back-references such as \\k<name> are not supported: matching takes linear time, which rules them out',
    );
  }
  if (/^[\u0000-\u007f]$/.test(letter) && !/^[A-Za-z0-9]$/.test(letter)) {
    return { kind: 'character', codePoint: letter.codePointAt(0) ?? 0 };
  }
  throw cursor.error(`unknown escape \\${letter}`, start);
}

const controls = new Map([
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
  ['f', 0x0c],
  ['v', 0x0b],
  ['a', 0x07],
]);

const classes = new Map<string, () => CodePointSet>([
  ['d', digitSet],
  ['D', () => complementOf(digitSet())],
  ['s', spaceSet],
  ['S', () => complementOf(spaceSet())],
  ['w', wordSet],
  ['W', () => complementOf(wordSet())],
]);

const assertions = new Map<string, Assertion>([
  ['b', 'word_boundary'],
  ['B', 'not_word_boundary'],
  ['A', 'text_start'],
  ['z', 'text_end'],
  ['<', 'word_start'],
  ['>', 'word_end'],
]);

const wordEdges = new Map<string, Assertion>([
  ['start', 'word_start'],
  ['end', 'word_end'],
  ['start-half', 'word_start_half'],
  ['end-half', 'word_end_half'],
]);

/** `\b{start}` and its kin; a brace that holds digits belongs to a repetition. */
function wordEdge(cursor: PatternCursor): Assertion {
  if (cursor.peek() !== '{' || !/^[a-z]$/.test(cursor.peek(1))) return 'word_boundary';
  const start = cursor.position;
  cursor.take();
  const edge = wordEdges.get(cursor.takeUntil('}') ?? '');
  if (edge === undefined) {
    throw cursor.error('\\b{…} knows start, end, start-half and end-half', start);
  }
  return edge;
}

const hexLengths = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

function hexEscape(cursor: PatternCursor, letter: string): Escape {
  const start = cursor.position - 2;
  const digits = cursor.accept('{')
    ? cursor.takeUntil('}')?.trim()
    : hexDigits(cursor, hexLengths.get(letter) ?? 0);
  const codePoint = /^[0-9A-Fa-f]{1,8}$/.test(digits ?? '')
    ? Number.parseInt(digits ?? '', 16)
    : -1;
  if (codePoint < 0 || codePoint > maxCodePoint || (codePoint >= 0xd800 && codePoint <= 0xdfff)) {
    throw cursor.error(`\\${letter} needs the hex digits of a Unicode character`, start);
  }
  return { kind: 'character', codePoint };
}

/** Exactly so many digits, or undefined. */
function hexDigits(cursor: PatternCursor, length: number): string | undefined {
  let digits = '';
  while (digits.length < length) {
    if (!/^[0-9A-Fa-f]$/.test(cursor.peek())) return undefined;
    digits += cursor.take();
  }
  return digits;
}

function propertyEscape(cursor: PatternCursor, negated: boolean): Escape {
  const start = cursor.position - 2;
  let name = cursor.accept('{') ? cursor.takeUntil('}') : cursor.take();
  let inverted = negated;
  if (name?.startsWith('^') === true) {
    inverted = !inverted;
    name = name.slice(1);
  }
  const set = name === undefined ? undefined : unicodeProperty(name);
  if (set === undefined) throw cursor.error(`unknown Unicode property ${name ?? ''}`, start);
  return { kind: 'class', set: inverted ? complementOf(set) : set };
}
