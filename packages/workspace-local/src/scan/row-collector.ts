import type { GrepLine } from '@toolwright/core';
import type { ScannerMemory } from './scanner-memory.ts';
import type { TextMatch } from './text-matcher.ts';

/** What to keep of the matches of one file. */
export interface RowOptions {
  /** Lines before and after each match. */
  readonly context: number;
  /** Rows of matching lines to keep; further ones are only counted. */
  readonly maxMatches: number;
  /** Matches on this line (1-based) or before it were told of earlier, with the context after it; 0 for none. */
  readonly afterLine: number;
}

/** Bytes of a line that are shown; a longer one is cut around its match. */
export const maxLineBytes = 500;
/** Of a cut line, bytes before the end of the match. */
const bytesBeforeMatch = 350;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Makes rows from the matches of one file, in order, each line once: matching lines and their context. Works
 * on a window of the file in a scanner's memory that may move on.
 */
export class RowCollector {
  readonly rows: GrepLine[] = [];
  /** Lines with a match after `afterLine`. */
  matchingLines = 0;
  /** Lines with a match in all of the file. */
  totalLines = 0;
  readonly #memory: ScannerMemory;
  readonly #options: RowOptions;
  #countedAt = 0;
  #line = 1;
  /** The last line with a match, and the last that was given as a row. */
  #lastMatch = 0;
  #lastRow = 0;
  /** Where the line after the last row begins, and how many rows of context are due from there. */
  #afterAt = 0;
  #afterDue = 0;

  constructor(memory: ScannerMemory, options: RowOptions) {
    this.#memory = memory;
    this.#options = options;
  }

  /** The text begins here. */
  begin(address: number): void {
    this.#countedAt = address;
    this.#afterAt = address;
  }

  /** The window moved: what stood at an address stands `distance` bytes lower now. */
  shift(distance: number): void {
    this.#countedAt -= distance;
    this.#afterAt -= distance;
  }

  add(match: TextMatch, textStart: number, textEnd: number): void {
    const { code } = this.#memory;
    this.#line += code.countByte(this.#countedAt, match.lineStart, lineFeed);
    this.#countedAt = match.lineStart;
    const first = this.#line;
    const last = first + code.countByte(match.lineStart, match.lineEnd, lineFeed);
    const fresh = Math.max(first, this.#lastMatch + 1);
    this.totalLines += Math.max(last - fresh + 1, 0);
    const wanted = Math.max(fresh, this.#options.afterLine + 1);
    this.matchingLines += Math.max(last - wanted + 1, 0);
    this.#lastMatch = Math.max(last, this.#lastMatch);
    if (wanted > last || this.#isFull()) return;
    this.#contextAfter(textEnd, first - 1);
    if (this.#options.context > 0) this.#contextBefore(match, textStart, first);
    this.#matchRows(match, { first, last, wanted });
  }

  /** The window ends here, after whole lines or at the end: gives what context is due, and counts its lines. */
  finishWindow(textEnd: number): void {
    this.#contextAfter(textEnd, Number.MAX_SAFE_INTEGER);
    this.#line += this.#memory.code.countByte(this.#countedAt, textEnd, lineFeed);
    this.#countedAt = textEnd;
  }

  #isFull(): boolean {
    return this.matchingLinesKept >= this.#options.maxMatches;
  }

  /** Matching lines among the rows. */
  matchingLinesKept = 0;

  #matchRows(
    match: TextMatch,
    lines: { readonly first: number; readonly last: number; readonly wanted: number },
  ): void {
    const { code } = this.#memory;
    let start = match.lineStart;
    for (let line = lines.first; line <= lines.last; line += 1) {
      const end = code.nextByte(start, match.lineEnd, lineFeed);
      if (line >= lines.wanted) {
        if (this.#isFull()) return;
        const row = this.#row(line, { start, end, matchEnd: match.end, isMatch: true });
        const endLine = line === lines.first && lines.last > line ? { endLine: lines.last } : {};
        this.rows.push({ ...row, ...endLine });
        this.matchingLinesKept += 1;
        this.#lastRow = line;
        this.#afterAt = end + 1;
        this.#afterDue = this.#options.context;
      }
      start = end + 1;
    }
  }

  #contextBefore(match: TextMatch, textStart: number, first: number): void {
    const { code } = this.#memory;
    const { afterLine, context } = this.#options;
    const told = Math.max(this.#lastRow, afterLine === 0 ? 0 : afterLine + context);
    const starts: number[] = [];
    let at = match.lineStart;
    for (let line = first - 1; line > told && starts.length < context; line -= 1) {
      if (at <= textStart) break;
      at = code.afterLastByte(textStart, at - 1, lineFeed);
      starts.push(at);
    }
    for (const [index, start] of starts.toReversed().entries()) {
      const end = code.nextByte(start, match.lineStart, lineFeed);
      const line = first - starts.length + index;
      this.rows.push(this.#row(line, { start, end, matchEnd: start, isMatch: false }));
      this.#lastRow = line;
    }
  }

  #contextAfter(textEnd: number, lastLine: number): void {
    const { code } = this.#memory;
    while (this.#afterDue > 0 && this.#afterAt < textEnd && this.#lastRow < lastLine) {
      const start = this.#afterAt;
      const end = code.nextByte(start, textEnd, lineFeed);
      this.#lastRow += 1;
      this.rows.push(this.#row(this.#lastRow, { start, end, matchEnd: start, isMatch: false }));
      this.#afterAt = end + 1;
      this.#afterDue -= 1;
    }
  }

  #row(
    line: number,
    place: {
      readonly start: number;
      readonly end: number;
      readonly matchEnd: number;
      readonly isMatch: boolean;
    },
  ): GrepLine {
    const { bytes } = this.#memory;
    const { start } = place;
    let { end } = place;
    if (end > start && bytes[end - 1] === carriageReturn && bytes[end] === lineFeed) end -= 1;
    const text = cutLine(bytes, { start, end, around: Math.min(place.matchEnd, end) });
    return { line, text, match: place.isMatch };
  }
}

/** Decodes a line; of a long one the part around a place, with `…` where it was cut. */
function cutLine(
  bytes: Uint8Array,
  line: { readonly start: number; readonly end: number; readonly around: number },
): string {
  const { start, end } = line;
  if (end - start <= maxLineBytes) return decode(bytes, start, end);
  let from = Math.max(start, line.around - bytesBeforeMatch);
  if (from + maxLineBytes > end) from = Math.max(start, end - maxLineBytes);
  let to = Math.min(end, from + maxLineBytes);
  while (from > start && isContinuation(bytes[from])) from -= 1;
  while (to < end && isContinuation(bytes[to])) to -= 1;
  return `${from > start ? '…' : ''}${decode(bytes, from, to)}${to < end ? '…' : ''}`;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function decode(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}
