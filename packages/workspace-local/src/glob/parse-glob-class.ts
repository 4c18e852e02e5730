import {
  complementOf,
  setOf,
  setOfRanges,
  unionOf,
  type CodePointSet,
} from '../regex/code-point-set.ts';
import type { PatternCursor } from '../regex/pattern-cursor.ts';
import { posixClass } from '../regex/unicode-classes.ts';
import { GlobError } from './glob-error.ts';

/**
 * Reads a class whose `[` has been taken: characters, ranges, `[:alpha:]`, `\` escapes, `!` or `^` for its
 * complement; a `]` that comes first is a member. Undefined, with nothing taken, when it never closes.
 */
export function parseGlobClass(cursor: PatternCursor): CodePointSet | undefined {
  const start = cursor.position;
  const negated = cursor.accept('!') || cursor.accept('^');
  const members: CodePointSet[] = [];
  for (let isFirst = true; isFirst || cursor.peek() !== ']'; isFirst = false) {
    if (cursor.atEnd) {
      cursor.moveTo(start);
      return undefined;
    }
    members.push(posixMember(cursor) ?? rangeMember(cursor));
  }
  cursor.take();
  const set = unionOf(...members);
  return negated ? complementOf(set) : set;
}

function posixMember(cursor: PatternCursor): CodePointSet | undefined {
  const start = cursor.position;
  if (!cursor.accept('[:')) return undefined;
  const set = posixClass(cursor.takeUntil(':') ?? '');
  if (set !== undefined && cursor.accept(']')) return set;
  cursor.moveTo(start);
  return undefined;
}

function rangeMember(cursor: PatternCursor): CodePointSet {
  const low = takeCodePoint(cursor);
  const isRange = cursor.peek() === '-' && cursor.peek(1) !== ']' && cursor.peek(1) !== '';
  if (!isRange) return setOf(low);
  cursor.take();
  const high = takeCodePoint(cursor);
  if (high < low) throw new GlobError('a range in a class must run upward');
  return setOfRanges([[low, high]]);
}

function takeCodePoint(cursor: PatternCursor): number {
  if (cursor.peek() === '\\' && cursor.peek(1) !== '') cursor.take();
  return cursor.take().codePointAt(0) ?? 0;
}
