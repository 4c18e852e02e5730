import { setOfRanges, type CodePointSet } from '../regex/code-point-set.ts';
import { compileProgram } from '../regex/compile-program.ts';
import { deadCell, LazyDfa, matchCell, matchState } from '../regex/lazy-dfa.ts';
import { classifySymbols, classOf } from '../regex/symbol-classes.ts';
import type { AutomatonState, RegexNode } from '../regex/syntax.ts';
import { GlobError } from './glob-error.ts';

const maxStates = 512;

/**
 * What a node does not match, among runs of the characters `within`, as an automaton. `reads` makes the node that
 * reads one character of a set. Errors: {@link GlobError} when it would be too large.
 */
export function complementNode(
  node: RegexNode,
  within: CodePointSet,
  reads: (set: CodePointSet) => RegexNode,
): RegexNode {
  const program = compileProgram(node);
  const classes = classifySymbols(program, { terminator: 0x2f });
  const dfa = new LazyDfa(program, classes, {
    kind: 'longest',
    unanchored: false,
    table: new Int32Array((classes.count + 1) * (maxStates + 2)),
  });
  const sets = setsOfClasses(within, (codePoint) => classOf(classes, codePoint), classes.count);
  const start = dfa.start({ textStart: true, lineStart: true, wordBefore: false });
  /** -1 is where the node cannot match any more: there everything goes. */
  const order = [start];
  const states: AutomatonState[] = [];
  for (let index = 0; index < order.length; index += 1) {
    if (order.length > maxStates) throw new GlobError('a !(…) group is too large');
    const state = order[index] ?? -1;
    const edges = sets.flatMap((set, symbol) => {
      if (set.length === 0) return [];
      const next = state < 0 ? -1 : targetOf(dfa.cell(state, symbol));
      let target = order.indexOf(next);
      if (target < 0) target = order.push(next) - 1;
      return [{ reads: reads(set), target }];
    });
    const matched = state >= 0 && dfa.cell(state, dfa.endSymbol) <= matchCell;
    states.push({ accepts: !matched, edges });
  }
  return { kind: 'automaton', states };
}

function targetOf(cell: number): number {
  if (cell === deadCell) return -1;
  return cell <= matchCell ? matchState(cell) : cell;
}

/** For each symbol class, its characters among `within`. */
function setsOfClasses(
  within: CodePointSet,
  classOfPoint: (codePoint: number) => number,
  count: number,
): CodePointSet[] {
  const ranges: [number, number][][] = Array.from({ length: count }, () => []);
  for (let i = 0; i < within.length; i += 2) {
    const end = within[i + 1] ?? 0;
    let from = within[i] ?? 0;
    for (let codePoint = from; codePoint <= end; codePoint += 1) {
      const symbol = classOfPoint(codePoint);
      if (codePoint === end || classOfPoint(codePoint + 1) !== symbol) {
        ranges[symbol]?.push([from, codePoint]);
        from = codePoint + 1;
      }
    }
  }
  return ranges.map((list) => setOfRanges(list));
}
