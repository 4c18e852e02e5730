import { classOf } from '../regex/symbol-classes.ts';
import {
  deadCell,
  LazyDfa,
  matchCell,
  matchState,
  unknownCell,
  type StartContext,
} from '../regex/lazy-dfa.ts';
import { createCandidateFinder, type CandidateFinder } from './candidate-finder.ts';
import { findMatchStart } from './match-start.ts';
import { layout, type ScannerMemory } from './scanner-memory.ts';
import type { SearchPlan } from './search-plan.ts';

/** Ends a scan from inside; see {@link TextMatcher}. */
export class ScanStopped extends Error {
  override readonly name = 'ScanStopped';
}

/** Addresses of a match: of its bytes, and of the lines that it covers, without the last line's ending. */
export interface TextMatch {
  readonly start: number;
  readonly end: number;
  readonly lineStart: number;
  readonly lineEnd: number;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
/** Cells of the automaton's table: 1 MiB. */
const tableCells = 1 << 18;
/** Bytes between two looks at the clock. */
const sliceLength = 1 << 22;
const cellsBetweenChecks = 256;
/** In a symbol table: the byte needs a closer look. */
const slowSymbol = 0xffff;
const lineContext: StartContext = { textStart: true, lineStart: true, wordBefore: false };

/**
 * Finds the matches of one plan in the text of a scanner's memory. `shouldStop` is asked between slices; when
 * it says so, {@link ScanStopped} is thrown, whatever the text and the pattern.
 */
export class TextMatcher {
  readonly #memory: ScannerMemory;
  readonly #plan: SearchPlan;
  readonly #shouldStop: () => boolean;
  readonly #rows: number;
  readonly #finder: CandidateFinder | undefined;
  #dfa: LazyDfa;
  #table: Int32Array;
  #checkedAt = 0;

  constructor(memory: ScannerMemory, plan: SearchPlan, shouldStop: () => boolean) {
    this.#memory = memory;
    this.#plan = plan;
    this.#shouldStop = shouldStop;
    const { classes } = plan.forward;
    this.#rows = memory.layOut(classes.pages.byteLength, tableCells * 4);
    this.#writeTables();
    this.#finder =
      plan.required === undefined ? undefined : createCandidateFinder(memory, plan.required);
    this.#table = memory.int32View(this.#rows, tableCells);
    this.#dfa = this.#createDfa();
  }

  /** Must follow each growth of the memory: the table was a view of the old one. */
  refresh(): void {
    if (this.#table.buffer === this.#memory.code.memory.buffer) return;
    this.#table = this.#memory.int32View(this.#rows, tableCells);
    this.#dfa = this.#createDfa();
  }

  /**
   * Calls `onMatch` for each line with a match, or for each match where they may span lines, in order. [start,
   * end) is a whole text, or whole lines of one.
   */
  eachMatch(start: number, end: number, onMatch: (match: TextMatch) => void): void {
    if (start === end) return;
    if (this.#plan.multiline) this.#acrossLines(start, end, onMatch);
    else if (this.#finder === undefined) this.#everyLine(start, end, onMatch);
    else this.#candidateLines(start, end, onMatch);
  }

  #createDfa(): LazyDfa {
    const { program, classes } = this.#plan.forward;
    return new LazyDfa(program, classes, {
      kind: this.#plan.multiline ? 'leftmost' : 'earliest',
      unanchored: true,
      table: this.#table,
    });
  }

  #writeTables(): void {
    const { classes } = this.#plan.forward;
    const { code } = this.#memory;
    const ascii = this.#memory.uint16View(layout.asciiTable, 256).fill(slowSymbol);
    for (let byte = 0; byte < 0x80; byte += 1) ascii[byte] = classOf(classes, byte);
    if (this.#plan.joinsReturns) ascii[carriageReturn] = slowSymbol;
    this.#memory.uint16View(layout.pageTable, classes.pageOf.length).set(classes.pageOf);
    this.#memory.uint16View(layout.pages, classes.pages.length).set(classes.pages);
    code.asciiTable.value = layout.asciiTable;
    code.pageTable.value = layout.pageTable;
    code.pages.value = layout.pages;
    code.rows.value = this.#rows;
    code.lineSymbol.value = classOf(classes, lineFeed);
    code.returnSymbol.value = classOf(classes, carriageReturn);
  }

  #everyLine(start: number, end: number, onMatch: (match: TextMatch) => void): void {
    const { code } = this.#memory;
    const endsText = this.#memory.bytes[end - 1] !== lineFeed;
    let position = start;
    while (position < end) {
      const hit = this.#matchEnd(position, end, { context: lineContext, endsText });
      if (hit < 0) return;
      const lineStart = code.afterLastByte(position, hit, lineFeed);
      const lineEnd = code.nextByte(hit, end, lineFeed);
      onMatch({ start: hit, end: hit, lineStart, lineEnd });
      position = lineEnd + 1;
    }
  }

  #candidateLines(start: number, end: number, onMatch: (match: TextMatch) => void): void {
    const { code } = this.#memory;
    const finder = this.#finder;
    let position = start;
    let nextCheck = start + sliceLength;
    if (finder === undefined) return;
    while (position < end) {
      const candidate = finder.next(position, end);
      if (candidate < 0) return;
      if (candidate > nextCheck) {
        this.#check();
        nextCheck = candidate + sliceLength;
      }
      const lineStart = code.afterLastByte(position, candidate, lineFeed);
      const lineEnd = code.nextByte(candidate, end, lineFeed);
      // The line feed goes along, so that the automaton can tell a CR before it from any other.
      const hit =
        finder.exactLength === undefined
          ? this.#matchEnd(lineStart, Math.min(lineEnd + 1, end), {
              context: lineContext,
              endsText: lineEnd === end,
            })
          : candidate + finder.exactLength;
      if (hit >= 0) onMatch({ start: hit, end: hit, lineStart, lineEnd });
      position = lineEnd + 1;
    }
  }

  #acrossLines(start: number, end: number, onMatch: (match: TextMatch) => void): void {
    const { code, bytes } = this.#memory;
    if (this.#finder !== undefined && this.#finder.next(start, end) < 0) return;
    let position = start;
    while (position <= end) {
      const context = this.#contextAt(start, position);
      const matchEnd = this.#matchEnd(position, end, { context, endsText: true });
      if (matchEnd < 0) return;
      const matchStart = findMatchStart(this.#plan, bytes, {
        textStart: start,
        textEnd: end,
        from: position,
        matchEnd,
      });
      // After a final line feed there is no line.
      if (matchStart === end && bytes[end - 1] === lineFeed) return;
      const lineStart = code.afterLastByte(start, matchStart, lineFeed);
      const lastByte = Math.max(matchEnd - 1, matchStart);
      const lineEnd = code.nextByte(lastByte, end, lineFeed);
      onMatch({ start: matchStart, end: matchEnd, lineStart, lineEnd });
      position = matchEnd > matchStart ? matchEnd : this.#after(matchEnd, end);
    }
  }

  /** Where the match ends that a run from `start` finds first, or -1. */
  #matchEnd(
    start: number,
    end: number,
    { context, endsText }: { readonly context: StartContext; readonly endsText: boolean },
  ): number {
    const { code } = this.#memory;
    const dfa = this.#dfa;
    const firstIsEnough = !this.#plan.multiline;
    let state = dfa.start(context);
    let position = start;
    let found = -1;
    for (;;) {
      const slice = Math.min(end, position + sliceLength);
      let cell = code.run(position, slice, state);
      if (cell >= 0) {
        position = code.position.value;
        state = cell;
        if (position < end) {
          this.#check();
          continue;
        }
        if (!endsText) return found;
        return dfa.cell(state, dfa.endSymbol) <= matchCell ? end : found;
      }
      position = code.position.value;
      if (cell === unknownCell) {
        if (dfa.computed - this.#checkedAt > cellsBetweenChecks) this.#check();
        cell = dfa.compute(code.state.value, code.symbol.value);
      }
      if (cell === deadCell) return found;
      if (cell <= matchCell) {
        if (firstIsEnough) return position;
        found = position;
        cell = matchState(cell);
        if (cell < 0) return found;
      }
      state = cell;
      position = code.nextPosition.value;
    }
  }

  #contextAt(textStart: number, position: number): StartContext {
    const { bytes } = this.#memory;
    if (position === textStart) return lineContext;
    const { classes } = this.#plan.forward;
    let at = position - 1;
    while (at > textStart && at > position - 4 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
    const point = new TextDecoder().decode(bytes.subarray(at, position)).codePointAt(0) ?? 0;
    return {
      textStart: false,
      lineStart: bytes[position - 1] === lineFeed,
      wordBefore: classes.isWord[classOf(classes, point)] === 1,
    };
  }

  /** The address after the character at `position`. */
  #after(position: number, end: number): number {
    const { bytes } = this.#memory;
    let next = position + 1;
    if (this.#plan.joinsReturns && bytes[position] === carriageReturn && bytes[next] === lineFeed) {
      next += 1;
    }
    while (next < end && ((bytes[next] ?? 0) & 0xc0) === 0x80) next += 1;
    return next;
  }

  #check(): void {
    this.#checkedAt = this.#dfa.computed;
    if (this.#shouldStop()) throw new ScanStopped();
  }
}
