import { foldCase } from './case-folding.ts';
import {
  complementOf,
  differenceOf,
  intersectionOf,
  setOf,
  setOfRanges,
  unionOf,
  type CodePointSet,
} from './code-point-set.ts';
import { parseEscape } from './parse-escape.ts';
import type { PatternCursor } from './pattern-cursor.ts';
import { posixClass } from './unicode-classes.ts';

/** What reading a class needs to know, and tells. */
export interface ClassContext {
  readonly ignoreCase: boolean;
  /** White space and comments between items mean nothing. */
  readonly verbose: boolean;
  /** Called for each character that stands in a class that is not negated. */
  readonly onMember: (codePoint: number) => void;
  readonly depth: number;
}

const maxDepth = 50;

type Item =
  | { readonly kind: 'character'; readonly codePoint: number }
  | { readonly kind: 'class'; readonly set: CodePointSet };

/**
 * Reads a bracketed class whose `[` has been taken: ranges, `\d` and kin, `[:alpha:]`, nested classes, and the
 * operators `&&` (both), `--` (without) and `~~` (either), which bind weaker than juxtaposition.
 */
export function parseClass(cursor: PatternCursor, context: ClassContext): CodePointSet {
  const start = cursor.position - 1;
  if (context.depth > maxDepth) throw cursor.error('classes are nested too deeply', start);
  const negated = cursor.accept('^');
  const inner: ClassContext = negated ? { ...context, onMember: () => undefined } : context;
  let result: CodePointSet | undefined;
  let operator = '';
  let operand: CodePointSet[] = leadingMembers(cursor);
  const combine = () => {
    const right = unionOf(...operand);
    result = result === undefined ? right : combineSets(operator, result, right);
    operand = [];
  };
  for (;;) {
    if (context.verbose) skipVerbose(cursor);
    if (cursor.atEnd) throw cursor.error('unclosed character class', start);
    const next = ['&&', '--', '~~'].find((symbol) => cursor.looksAt(symbol));
    if (cursor.accept(']')) break;
    if (next !== undefined) {
      cursor.accept(next);
      combine();
      operator = next;
    } else {
      operand.push(parseMember(cursor, inner));
    }
  }
  combine();
  const set = result ?? [];
  return negated ? complementOf(set) : set;
}

/** Dashes that come first are themselves, and so is a `]` that comes first. */
function leadingMembers(cursor: PatternCursor): CodePointSet[] {
  const members: CodePointSet[] = [];
  while (cursor.peek() === '-') {
    cursor.take();
    members.push(setOf(0x2d));
  }
  if (members.length === 0 && cursor.accept(']')) members.push(setOf(0x5d));
  return members;
}

function parseMember(cursor: PatternCursor, context: ClassContext): CodePointSet {
  const start = cursor.position;
  if (cursor.peek() === '[') {
    const named = parsePosix(cursor);
    if (named !== undefined) return context.ignoreCase ? foldCase(named) : named;
    cursor.take();
    return parseClass(cursor, { ...context, depth: context.depth + 1 });
  }
  const low = parseItem(cursor);
  if (context.verbose) skipVerbose(cursor);
  const isRange = cursor.peek() === '-' && cursor.peek(1) !== ']' && cursor.peek(1) !== '-';
  if (!isRange || cursor.peek(1) === '') {
    if (low.kind === 'character') context.onMember(low.codePoint);
    const set = low.kind === 'character' ? setOf(low.codePoint) : low.set;
    return context.ignoreCase ? foldCase(set) : set;
  }
  cursor.take();
  if (context.verbose) skipVerbose(cursor);
  const high = parseItem(cursor);
  if (low.kind === 'class' || high.kind === 'class') {
    throw cursor.error('a range in a class must run between two characters', start);
  }
  if (low.codePoint > high.codePoint) {
    throw cursor.error('a range in a class must run upward', start);
  }
  const set = setOfRanges([[low.codePoint, high.codePoint]]);
  return context.ignoreCase ? foldCase(set) : set;
}

function parseItem(cursor: PatternCursor): Item {
  const start = cursor.position;
  if (cursor.atEnd) throw cursor.error('unclosed character class');
  const character = cursor.take();
  if (character !== '\\') return { kind: 'character', codePoint: character.codePointAt(0) ?? 0 };
  const escape = parseEscape(cursor);
  if (escape.kind === 'assertion') {
    throw cursor.error('a class cannot hold an assertion such as \\b', start);
  }
  return escape;
}

/** `[:name:]` or `[:^name:]`; undefined when it is none, and nothing is taken then. */
function parsePosix(cursor: PatternCursor): CodePointSet | undefined {
  const start = cursor.position;
  if (!cursor.accept('[:')) return undefined;
  const negated = cursor.accept('^');
  const name = cursor.takeUntil(':');
  const set = name === undefined ? undefined : posixClass(name);
  if (set === undefined || !cursor.accept(']')) {
    cursor.moveTo(start);
    return undefined;
  }
  return negated ? complementOf(set) : set;
}

function combineSets(operator: string, left: CodePointSet, right: CodePointSet): CodePointSet {
  if (operator === '&&') return intersectionOf(left, right);
  if (operator === '--') return differenceOf(left, right);
  return unionOf(differenceOf(left, right), differenceOf(right, left));
}

/** Takes white space and `#` comments, which verbose mode allows everywhere. */
export function skipVerbose(cursor: PatternCursor): void {
  for (;;) {
    if (/^\s$/u.test(cursor.peek())) cursor.take();
    else if (cursor.peek() === '#') {
      while (!cursor.atEnd && cursor.take() !== '\n');
    } else return;
  }
}
