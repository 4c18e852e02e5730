import { isUtf16 } from '@toolwright/documents';
import type { Encoding } from '@toolwright/documents';

const LF = 10;
const CR = 13;

/** A line and the byte at which it starts, both from 0. */
export interface LineStart {
  readonly line: number;
  readonly byte: number;
}

/** Where the lines of a text lie: enough places to find any line by reading a little, in bounded memory. */
export interface LineIndex {
  /** Lines that end in LF. */
  readonly lf: number;
  /** Of these, how many in CRLF. */
  readonly crlf: number;
  /** Whether the text ends in a newline. */
  readonly finalNewline: boolean;
  /** Bytes to the next known line start, at most, where lines are shorter. */
  readonly strideBytes: number;
  /** The last known line start at or before a line. */
  before(line: number): LineStart;
  /** The last known line start at or before a byte. */
  beforeByte(byte: number): LineStart;
}

/** Bytes between two places that are kept, at first; doubled whenever the places become too many. */
const STRIDE_BYTES = 8_192;
/** Places that are kept at most: 128 KiB of memory a file. */
const MAX_PLACES = 8_192;

/** Builds a `LineIndex` from chunks in order; `wide` names the encoding when it is UTF-16. */
export class LineIndexBuilder {
  readonly #wide: 'utf-16le' | 'utf-16be' | undefined;
  #stride: number;
  #lf = 0;
  #crlf = 0;
  /** Bytes pushed. */
  #position = 0;
  /** Where the line after the last newline starts. */
  #lineStart = 0;
  /** Whether the last unit pushed is a CR. */
  #endsInCr = false;
  #lines: number[] = [0];
  #bytes: number[] = [0];

  constructor(wide?: 'utf-16le' | 'utf-16be', stride = STRIDE_BYTES) {
    this.#wide = wide;
    this.#stride = stride;
  }

  /** Takes the next chunk; one of UTF-16 has whole units, but for the last. */
  push(chunk: Buffer): void {
    if (this.#wide === undefined) {
      for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) {
        this.#newline(at + 1, at === 0 ? this.#endsInCr : chunk[at - 1] === CR);
      }
      if (chunk.length > 0) this.#endsInCr = chunk.at(-1) === CR;
    } else {
      for (let at = 0; at + 1 < chunk.length; at += 2) {
        const unit = unitAt(chunk, at, this.#wide);
        if (unit === LF) this.#newline(at + 2, this.#endsInCr);
        this.#endsInCr = unit === CR;
      }
    }
    this.#position += chunk.length;
  }

  finish(): LineIndex {
    const [lines, bytes] = [this.#lines, this.#bytes];
    const at = (sorted: readonly number[], wanted: number): LineStart => {
      const index = lastNotAbove(sorted, wanted);
      return { line: lines[index] ?? 0, byte: bytes[index] ?? 0 };
    };
    return {
      lf: this.#lf,
      crlf: this.#crlf,
      finalNewline: this.#lf > 0 && this.#lineStart === this.#position,
      strideBytes: this.#stride,
      before: (line) => at(lines, line),
      beforeByte: (byte) => at(bytes, byte),
    };
  }

  #newline(end: number, afterCr: boolean): void {
    this.#lf += 1;
    if (afterCr) this.#crlf += 1;
    this.#lineStart = this.#position + end;
    if (this.#lineStart - (this.#bytes.at(-1) ?? 0) < this.#stride) return;
    this.#lines.push(this.#lf);
    this.#bytes.push(this.#lineStart);
    if (this.#lines.length <= MAX_PLACES) return;
    this.#stride *= 2;
    this.#lines = this.#lines.filter((_, index) => index % 2 === 0);
    this.#bytes = this.#bytes.filter((_, index) => index % 2 === 0);
  }
}

function unitAt(bytes: Buffer, at: number, encoding: 'utf-16le' | 'utf-16be'): number {
  return encoding === 'utf-16le' ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
}

function lastNotAbove(sorted: readonly number[], wanted: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((sorted[middle] ?? 0) <= wanted) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Index just after the next newline in `bytes` from `from` on, or -1; `from` is on a unit's border. */
export function nextLineEnd(bytes: Buffer, from: number, encoding: Encoding): number {
  if (!isUtf16(encoding)) {
    const at = bytes.indexOf(LF, from);
    return at < 0 ? -1 : at + 1;
  }
  for (let at = from; at + 1 < bytes.length; at += 2) {
    if (unitAt(bytes, at, encoding) === LF) return at + 2;
  }
  return -1;
}
