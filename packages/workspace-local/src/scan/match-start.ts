import { deadCell, LazyDfa, matchCell, matchState, type StartContext } from '../regex/lazy-dfa.ts';
import { classOf, type SymbolClasses } from '../regex/symbol-classes.ts';
import type { SearchPlan } from './search-plan.ts';

/** Where to look: a text in memory, and the end of a match in it that begins at `from` or later. */
export interface MatchRange {
  readonly textStart: number;
  readonly textEnd: number;
  readonly from: number;
  readonly matchEnd: number;
}

const automata = new WeakMap<SearchPlan, LazyDfa>();
const tableCells = 1 << 16;

/** Finds where a match begins whose end is known: the pattern reversed, run from the end to the left. */
export function findMatchStart(plan: SearchPlan, bytes: Uint8Array, range: MatchRange): number {
  const { reverse } = plan;
  if (reverse === undefined) throw new TypeError('The plan was not made for matches across lines.');
  let dfa = automata.get(plan);
  if (dfa === undefined) {
    dfa = new LazyDfa(reverse.program, reverse.classes, {
      kind: 'longest',
      unanchored: false,
      table: new Int32Array(Math.max(tableCells, reverse.classes.count * 32)),
    });
    automata.set(plan, dfa);
  }
  let state = dfa.start(contextAfter(plan, reverse.classes, { bytes, range }));
  let position = range.matchEnd;
  let found = range.matchEnd;
  for (;;) {
    // Beyond `from` only the next character's kind matters, for assertions.
    const before = previousSymbol(plan, reverse.classes, {
      bytes,
      start: range.textStart,
      position,
    });
    const symbol = before?.symbol ?? dfa.endSymbol;
    let cell = dfa.cell(state, symbol);
    if (cell <= matchCell) {
      found = position;
      cell = matchState(cell);
    }
    if (cell < 0 || cell === deadCell || before === undefined || before.position < range.from) {
      return found;
    }
    state = cell;
    position = before.position;
  }
}

function contextAfter(
  plan: SearchPlan,
  classes: SymbolClasses,
  { bytes, range }: { readonly bytes: Uint8Array; readonly range: MatchRange },
): StartContext {
  const { matchEnd, textEnd } = range;
  if (matchEnd >= textEnd) return { textStart: true, lineStart: true, wordBefore: false };
  let length = 1;
  while (matchEnd + length < textEnd && ((bytes[matchEnd + length] ?? 0) & 0xc0) === 0x80) {
    length += 1;
  }
  const point = new TextDecoder()
    .decode(bytes.subarray(matchEnd, matchEnd + length))
    .codePointAt(0);
  const joined =
    plan.joinsReturns &&
    bytes[matchEnd] === 0x0d &&
    bytes[matchEnd + 1] === 0x0a &&
    matchEnd + 1 < textEnd;
  return {
    textStart: false,
    lineStart: joined || bytes[matchEnd] === 0x0a,
    wordBefore: classes.isWord[classOf(classes, point ?? 0)] === 1,
  };
}

/** The symbol that ends at `position`, and where it begins; undefined at the start of the text. */
function previousSymbol(
  plan: SearchPlan,
  classes: SymbolClasses,
  at: { readonly bytes: Uint8Array; readonly start: number; readonly position: number },
): { readonly symbol: number; readonly position: number } | undefined {
  const { bytes, start, position } = at;
  if (position <= start) return undefined;
  const last = bytes[position - 1] ?? 0;
  if (last < 0x80) {
    const joined =
      plan.joinsReturns && last === 0x0a && position - 2 >= start && bytes[position - 2] === 0x0d;
    return { symbol: classOf(classes, last), position: position - (joined ? 2 : 1) };
  }
  for (let length = 2; length <= 4 && position - length >= start; length += 1) {
    const piece = bytes.subarray(position - length, position);
    const isLead = ((piece[0] ?? 0) & 0xc0) === 0xc0;
    if (!isLead) continue;
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(piece);
    const point = text.codePointAt(0) ?? 0xfffd;
    const isWhole =
      text.length === (point > 0xffff ? 2 : 1) && (point !== 0xfffd || isReplacement(piece));
    if (isWhole) return { symbol: classOf(classes, point), position: position - length };
    break;
  }
  return { symbol: 0, position: position - 1 };
}

/** U+FFFD itself, written out. */
function isReplacement(piece: Uint8Array): boolean {
  return piece[0] === 0xef && piece[1] === 0xbf && piece[2] === 0xbd;
}
