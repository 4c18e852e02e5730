import { isUtf8 } from 'node:buffer';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import type { GrepLine } from '@toolwright/core';
import { reasonOf } from '../walk/tree-walk.ts';
import { RowCollector, type RowOptions } from './row-collector.ts';
import type { ScannerMemory } from './scanner-memory.ts';
import type { SearchPlan } from './search-plan.ts';
import { ScanStopped, TextMatcher } from './text-matcher.ts';

/** What a scan found in one text. */
export interface TextFindings {
  /** Matching lines after `afterLine`. */
  readonly matchingLines: number;
  /** Matching lines in all of the text. */
  readonly totalLines: number;
  readonly rows: readonly GrepLine[];
  /** More matching lines than rows were asked for. */
  readonly more: boolean;
  /** The text is no UTF-8; looked for where {@link FileScanOptions} ask for it. */
  readonly isUndecoded: boolean;
}

/** What to keep of matches, and what to tell of texts that are no UTF-8: of those with a match, or of all, unsearched. */
export interface FileScanOptions extends RowOptions {
  readonly undecoded?: 'matched' | 'all' | undefined;
  /** Leave files of a MiB and more to somebody who can wait for them. Default false. */
  readonly leavesLarge?: boolean | undefined;
  /** Tell of a binary file: somebody named just this one. Default false. */
  readonly tellsBinary?: boolean | undefined;
}

/** How the scan of one file ended. */
export type FileOutcome =
  | { readonly kind: 'none' }
  | ({ readonly kind: 'found' } & TextFindings)
  | { readonly kind: 'undecoded' }
  | { readonly kind: 'large' }
  | { readonly kind: 'not_searched'; readonly reason: string };

/** Bytes of a file that are scanned at a time; a longer line makes the window grow, up to the second bound. */
const windowBytes = 1 << 20;
const maxWindowBytes = 256 * 1024 * 1024;
/** A match may span all of a file: then it is held whole. UTF-16 too is decoded whole. */
const maxWholeBytes = 64 * 1024 * 1024;
/** A NUL among the first bytes marks a binary file, as in git and ripgrep. */
const binaryPrefix = 65_536;
const lineFeed = 0x0a;
/** Fixed on Windows, where these flags do not exist. */
const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const nothing: FileOutcome = { kind: 'none' };
const binary: FileOutcome = { kind: 'not_searched', reason: 'binary' };

/**
 * Scans files one after the other for one plan. Links are not followed and special files are not waited for.
 * `ScanStopped` comes out when `shouldStop` says so.
 */
export class FileScanner {
  readonly #memory: ScannerMemory;
  readonly #matcher: TextMatcher;
  readonly #plan: SearchPlan;
  readonly #shouldStop: () => boolean;

  /** The memory belongs to this scanner for as long as it scans. */
  constructor(memory: ScannerMemory, plan: SearchPlan, shouldStop: () => boolean) {
    this.#memory = memory;
    this.#plan = plan;
    this.#shouldStop = shouldStop;
    this.#matcher = new TextMatcher(this.#memory, plan, shouldStop);
    this.#reserve(windowBytes);
  }

  /**
   * Scans a file by its absolute path. `accept` is asked, with the open file, before anything is told of what
   * was found in it; a file that is not accepted is as one without a match.
   */
  scanFile(
    path: string,
    options: FileScanOptions,
    accept: (descriptor: number) => boolean,
  ): FileOutcome {
    let descriptor: number;
    try {
      descriptor = openSync(path, openFlags);
    } catch (error) {
      return { kind: 'not_searched', reason: reasonOf(error) };
    }
    try {
      const outcome = this.#scanDescriptor(descriptor, options);
      return outcome.kind === 'none' || accept(descriptor) ? outcome : nothing;
    } catch (error) {
      if (error instanceof ScanStopped) throw error;
      return { kind: 'not_searched', reason: reasonOf(error) };
    } finally {
      closeSync(descriptor);
    }
  }

  /** Scans bytes that are no file, such as an artifact. */
  scanBytes(content: Uint8Array, options: FileScanOptions): FileOutcome {
    this.#reserve(content.length);
    this.#memory.bytes.set(content, this.#memory.textStart);
    return this.#scanWhole(content.length, options);
  }

  #scanDescriptor(descriptor: number, options: FileScanOptions): FileOutcome {
    const memory = this.#memory;
    const { textStart } = memory;
    const first = readSync(descriptor, memory.bytes, textStart, windowBytes, null);
    if (first === 0) return nothing;
    if (first < windowBytes) return this.#scanWhole(first, options);
    if (options.leavesLarge === true) return { kind: 'large' };
    const isWide = isUtf16(memory.bytes, textStart, first);
    if (isWide || this.#plan.multiline) {
      const length = this.#readRest(descriptor, first);
      if (length === undefined) return { kind: 'not_searched', reason: 'too_large' };
      return this.#scanWhole(length, options);
    }
    return this.#scanWindows(descriptor, first, options);
  }

  #readRest(descriptor: number, first: number): number | undefined {
    const memory = this.#memory;
    let length = first;
    for (;;) {
      if (length > maxWholeBytes) return undefined;
      if (this.#shouldStop()) throw new ScanStopped();
      this.#reserve(length * 2);
      const read = readSync(descriptor, memory.bytes, memory.textStart + length, length, null);
      length += read;
      if (read === 0) return length;
    }
  }

  /** Scans a text that stands in memory as a whole. */
  #scanWhole(length: number, options: FileScanOptions): FileOutcome {
    const memory = this.#memory;
    let start = memory.textStart;
    let end = start + length;
    if (isUtf16(memory.bytes, start, length)) {
      if (isUtf32(memory.bytes, start)) return { kind: 'not_searched', reason: 'encoding' };
      end = start + this.#toUtf8(length);
    } else if (hasByteOrderMark(memory.bytes, start, length)) start += 3;
    if (this.#looksBinary(start, end)) return options.tellsBinary === true ? binary : nothing;
    if (options.undecoded === 'all' && !this.#isUtf8(start, end)) return { kind: 'undecoded' };
    const collector = new RowCollector(memory, options);
    collector.begin(start);
    this.#matcher.eachMatch(start, end, (match) => collector.add(match, start, end));
    if (collector.totalLines === 0) return nothing;
    if (this.#hasNul(start, end)) return binary;
    collector.finishWindow(end);
    return toOutcome(collector, options.undecoded !== undefined && !this.#isUtf8(start, end));
  }

  /** Scans a large file by windows of whole lines. */
  #scanWindows(descriptor: number, first: number, options: FileScanOptions): FileOutcome {
    const memory = this.#memory;
    const { code } = memory;
    const base = memory.textStart;
    if (this.#looksBinary(base, base + first)) {
      return options.tellsBinary === true ? binary : nothing;
    }
    // The first window decides. Its last character may be cut.
    const isUndecoded =
      options.undecoded !== undefined && !this.#isUtf8(base, this.#wholeCharacters(base + first));
    if (options.undecoded === 'all' && isUndecoded) return { kind: 'undecoded' };
    const collector = new RowCollector(memory, options);
    /** The window holds [base, end); lines before `next` are done and kept for context alone. */
    let next = base + (hasByteOrderMark(memory.bytes, base, first) ? 3 : 0);
    let end = base + first;
    let isLast = false;
    collector.begin(next);
    for (;;) {
      if (this.#shouldStop()) throw new ScanStopped();
      const complete = isLast ? end : code.afterLastByte(next, end, lineFeed);
      if (complete > next) {
        this.#matcher.eachMatch(next, complete, (match) => collector.add(match, base, complete));
        if (collector.totalLines > 0 && this.#hasNul(next, complete)) {
          return binary;
        }
        collector.finishWindow(complete);
      } else if (this.#hasNul(next, end)) {
        // No line of a text: a hole in a file can be longer than all that can be held.
        return collector.totalLines > 0 ? binary : nothing;
      } else if (end - next > maxWindowBytes) {
        return { kind: 'not_searched', reason: 'line_too_long' };
      }
      if (isLast) break;
      const keep = this.#contextStart(base, complete, options.context);
      memory.bytes.copyWithin(base, keep, end);
      collector.shift(keep - base);
      end -= keep - base;
      next = complete - (keep - base);
      this.#reserve(Math.max(end - base, windowBytes) * 2);
      const room = memory.textCapacity - (end - base);
      const read = readSync(descriptor, memory.bytes, end, room, null);
      end += read;
      isLast = read === 0;
    }
    return collector.totalLines === 0 ? nothing : toOutcome(collector, isUndecoded);
  }

  /** Where the last `context` lines before an address begin. */
  #contextStart(start: number, end: number, context: number): number {
    let at = end;
    for (let line = 0; line < context && at > start; line += 1) {
      at = this.#memory.code.afterLastByte(start, at - 1, lineFeed);
    }
    return at;
  }

  #reserve(length: number): void {
    this.#memory.reserveText(length);
    this.#matcher.refresh();
  }

  #toUtf8(length: number): number {
    const { bytes, textStart } = this.#memory;
    const label = bytes[textStart] === 0xff ? 'utf-16le' : 'utf-16be';
    const text = new TextDecoder(label).decode(bytes.slice(textStart, textStart + length));
    const encoded = Buffer.from(text, 'utf8');
    this.#reserve(encoded.length);
    this.#memory.bytes.set(encoded, textStart);
    return encoded.length;
  }

  #looksBinary(start: number, end: number): boolean {
    return this.#hasNul(start, Math.min(end, start + binaryPrefix));
  }

  #isUtf8(start: number, end: number): boolean {
    return isUtf8(this.#memory.bytes.subarray(start, end));
  }

  /** The end of the last character that is surely whole. */
  #wholeCharacters(end: number): number {
    const { bytes } = this.#memory;
    let at = end - 1;
    while (at > end - 4 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
    return (bytes[at] ?? 0) < 0x80 ? end : at;
  }

  #hasNul(start: number, end: number): boolean {
    return this.#memory.code.nextByte(start, end, 0) < end;
  }
}

function toOutcome(collector: RowCollector, isUndecoded: boolean): FileOutcome {
  return {
    kind: 'found',
    matchingLines: collector.matchingLines,
    totalLines: collector.totalLines,
    rows: collector.rows,
    more: collector.matchingLines > collector.matchingLinesKept,
    isUndecoded,
  };
}

function isUtf16(bytes: Uint8Array, start: number, length: number): boolean {
  if (length < 2) return false;
  const [first, second] = [bytes[start], bytes[start + 1]];
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

function isUtf32(bytes: Uint8Array, start: number): boolean {
  return bytes[start] === 0xff && bytes[start + 2] === 0 && bytes[start + 3] === 0;
}

function hasByteOrderMark(bytes: Uint8Array, start: number, length: number): boolean {
  return (
    length >= 3 && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf
  );
}
