import { assertions, opcode, type Program } from './compile-program.ts';
import type { SymbolClasses } from './symbol-classes.ts';

/**
 * When a run may stop: at the first position where some match ends; at the end of the match that
 * leftmost-first rules (Perl's) prefer; or at the end of the longest.
 */
export type MatchKind = 'earliest' | 'leftmost' | 'longest';

/** How an automaton is built. */
export interface LazyDfaOptions {
  readonly kind: MatchKind;
  /** Look for a match anywhere, not just at the start. */
  readonly unanchored: boolean;
  /** Where rows are kept; its length bounds memory. At least 16 rows must fit. */
  readonly table: Int32Array;
}

/** What stands before the first character of a run. */
export interface StartContext {
  readonly textStart: boolean;
  readonly lineStart: boolean;
  readonly wordBefore: boolean;
}

/** Cells that are no state: not computed yet, and nothing can match any more. */
export const unknownCell = -1;
export const deadCell = -2;

/** A cell at or below this says that a match ended before the character just read; see {@link matchState}. */
export const matchCell = -3;

/** The state that a match cell leads to; -1 when nothing can match any more. */
export function matchState(cell: number): number {
  return matchCell - cell - 1;
}

const lineBefore = 1;
const wordBefore = 2;
const textBefore = 4;
/** No match was found yet: a match may still begin anywhere. */
const searching = 8;

interface State {
  /** Steps in order of preference: sets, matches, and assertions that await the next character. */
  readonly steps: Int32Array;
  readonly context: number;
}

/**
 * A deterministic automaton made as a text needs it: a state is the list of a program's steps that are alive,
 * a row of the table has one cell a symbol class and a last one for the end of the text. Each character costs
 * one look-up, whatever the pattern; when the table is full it is cleared and filled again, so memory is
 * bounded too. A match shows one character late, because `$` and `\b` need the next one.
 */
export class LazyDfa {
  readonly rowLength: number;
  readonly #program: Program;
  readonly #classes: SymbolClasses;
  readonly #options: LazyDfaOptions;
  readonly #needs: number;
  readonly #mark: Uint32Array;
  readonly #stack: number[] = [];
  #generation = 0;
  #states: State[] = [];
  #rowOf = new Map<string, number>();
  #startOf = new Map<number, number>();
  /** Counts computed cells; for deadlines. */
  computed = 0;

  constructor(program: Program, classes: SymbolClasses, options: LazyDfaOptions) {
    this.#program = program;
    this.#classes = classes;
    this.#options = options;
    this.rowLength = classes.count + 1;
    this.#mark = new Uint32Array(program.ops.length);
    this.#needs = contextNeeds(program);
  }

  /** The symbol that stands for the end of the text. */
  get endSymbol(): number {
    return this.#classes.count;
  }

  /** The state in which a run begins. */
  start(context: StartContext): number {
    const bits =
      (context.lineStart ? lineBefore : 0) |
      (context.wordBefore ? wordBefore : 0) |
      (context.textStart ? textBefore : 0);
    const known = this.#startOf.get(bits);
    if (known !== undefined) return known;
    this.#beginClosure();
    const steps: number[] = [];
    this.#close(this.#program.start, steps);
    const state = this.#intern(steps, this.#options.unanchored ? bits | searching : bits);
    this.#startOf.set(bits, state);
    return state;
  }

  /** The cell of a state and a symbol, computed if need be. */
  cell(state: number, symbol: number): number {
    const cell = this.#options.table[state + symbol] ?? unknownCell;
    return cell === unknownCell ? this.compute(state, symbol) : cell;
  }

  /** Computes, stores and returns the cell of a state and a symbol. The state's own row may be gone afterwards. */
  compute(state: number, symbol: number): number {
    this.computed += 1;
    const from = this.#states[state / this.rowLength];
    if (from === undefined) throw new TypeError(`No such state: ${state}`);
    const { steps, matched, restarts } = this.#advance(from, symbol);
    const next = this.#successor(steps, symbol, restarts);
    const generationBefore = this.#rowOf;
    const target = next === undefined ? -1 : this.#intern(next.steps, next.context);
    const cell = matched ? matchCell - 1 - target : target < 0 ? deadCell : target;
    // After a clearing the row that asked is gone; the answer still holds.
    if (generationBefore === this.#rowOf) this.#options.table[state + symbol] = cell;
    return cell;
  }

  /** The steps after a symbol, before assertions of the next one; and whether a match ended before the symbol. */
  #advance(from: State, symbol: number): { steps: number[]; matched: boolean; restarts: boolean } {
    const { ops, xs, ys } = this.#program;
    const holds = this.#assertionsAt(from.context, symbol);
    const alive: number[] = [];
    let matched = false;
    this.#beginClosure();
    for (const step of from.steps) this.#resolve(step, alive, holds);
    const reached: number[] = [];
    this.#beginClosure();
    for (const step of alive) {
      if (ops[step] === opcode.match) {
        matched = true;
        if (this.#options.kind !== 'longest') break;
      } else if (
        symbol < this.#classes.count &&
        this.#classes.members[xs[step] ?? 0]?.[symbol] === 1
      ) {
        this.#close(ys[step] ?? 0, reached);
      }
    }
    const restarts = !matched && (from.context & searching) !== 0;
    if (restarts) this.#close(this.#program.start, reached);
    return { steps: reached, matched, restarts };
  }

  #successor(
    steps: number[],
    symbol: number,
    restarts: boolean,
  ): { steps: number[]; context: number } | undefined {
    if (symbol === this.#classes.count || steps.length === 0) return undefined;
    const context =
      (this.#classes.isLine[symbol] === 1 ? lineBefore : 0) |
      (this.#classes.isWord[symbol] === 1 ? wordBefore : 0) |
      (restarts ? searching : 0);
    return { steps, context };
  }

  #intern(steps: number[], context: number): number {
    if (this.#options.kind === 'earliest') steps.sort((a, b) => a - b);
    const kept = context & (this.#needs | searching);
    const key = `${kept}:${steps.join()}`;
    const known = this.#rowOf.get(key);
    if (known !== undefined) return known;
    const { table } = this.#options;
    let row = this.#states.length * this.rowLength;
    if (row + this.rowLength > table.length) {
      this.#states = [];
      this.#rowOf = new Map();
      this.#startOf = new Map();
      row = 0;
    }
    this.#states.push({ steps: Int32Array.from(steps), context: kept });
    this.#rowOf.set(key, row);
    table.fill(unknownCell, row, row + this.rowLength);
    return row;
  }

  #beginClosure(): void {
    this.#generation += 1;
  }

  /** Adds what a step leads to without reading: sets, matches and assertions, in order of preference. */
  #close(step: number, into: number[]): void {
    this.#follow(step, into, undefined);
  }

  /** As `#close`, and goes through assertions that hold. */
  #resolve(step: number, into: number[], holds: Uint8Array): void {
    this.#follow(step, into, holds);
  }

  #follow(step: number, into: number[], holds: Uint8Array | undefined): void {
    const { ops, xs, ys } = this.#program;
    const stack = this.#stack;
    stack.push(step);
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (this.#mark[at] === this.#generation) continue;
      this.#mark[at] = this.#generation;
      const op = ops[at];
      if (op === opcode.split) stack.push(ys[at] ?? 0, xs[at] ?? 0);
      else if (op === opcode.assert && holds !== undefined) {
        if (holds[xs[at] ?? 0] === 1) stack.push(ys[at] ?? 0);
      } else into.push(at);
    }
  }

  /** Which assertions hold between what came before and `symbol`. */
  #assertionsAt(context: number, symbol: number): Uint8Array {
    const atEnd = symbol === this.#classes.count;
    const lineNext = atEnd || this.#classes.isLine[symbol] === 1;
    const wordNext = !atEnd && this.#classes.isWord[symbol] === 1;
    const line = (context & lineBefore) !== 0;
    const word = (context & wordBefore) !== 0;
    const text = (context & textBefore) !== 0;
    const truths: Readonly<Record<(typeof assertions)[number], boolean>> = {
      line_start: line,
      line_end: lineNext,
      text_start: text,
      text_end: atEnd,
      word_boundary: word !== wordNext,
      not_word_boundary: word === wordNext,
      word_start: !word && wordNext,
      word_end: word && !wordNext,
      word_start_half: !word,
      word_end_half: !wordNext,
      not_line_start: !line,
    };
    return Uint8Array.from(assertions, (assertion) => (truths[assertion] ? 1 : 0));
  }
}

/** Which facts about the character before a position the program's assertions ask for. */
function contextNeeds(program: Program): number {
  let needs = 0;
  for (let step = 0; step < program.ops.length; step += 1) {
    if (program.ops[step] !== opcode.assert) continue;
    const assertion = assertions[program.xs[step] ?? 0] ?? '';
    if (assertion.includes('word')) needs |= wordBefore;
    if (assertion.endsWith('line_start')) needs |= lineBefore;
    if (assertion === 'text_start') needs |= textBefore;
  }
  return needs;
}
