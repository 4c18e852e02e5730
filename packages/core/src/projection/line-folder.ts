import { GrowingBytes } from './growing-bytes.ts';
import type { OutputWindow } from './output-window.ts';
import { MAX_FOLDED_LINE_BYTES, repeatsPreviousLine } from './repeated-line.ts';

/**
 * Writes a text into a window with each run of identical lines folded to one line and a marker.
 * Each run is judged by itself: it folds if it is long enough and the marker is shorter than what it replaces.
 * A last line without a line break is no copy of one with it. The result does not depend on the chunks.
 */
export class LineFolder {
  readonly #window: OutputWindow;
  readonly #threshold: number;
  /** The beginning of a line whose end has not come yet. */
  readonly #partial = new GrowingBytes();
  /** Inside a line that is too long to fold: its beginning is in the window already. */
  #isInLongLine = false;
  /** A run that may go on in the next chunk; nothing of it is in the window. */
  #carried: { readonly line: Uint8Array; count: number } | undefined;

  constructor(window: OutputWindow, threshold: number) {
    this.#window = window;
    this.#threshold = threshold;
  }

  /** Takes the next bytes; they may be reused afterwards. */
  push(chunk: Uint8Array): void {
    let start = this.#finishPartialLine(chunk);
    start = this.#extendCarried(chunk, start);
    start = this.#foldWholeLines(chunk, start);
    this.#beginPartialLine(chunk.subarray(start));
  }

  /** Ends the text. */
  finish(): void {
    this.#endCarried();
    this.#window.append(this.#partial.view());
    this.#partial.clear();
  }

  /** Ends the line that an earlier chunk began; returns where the next one starts. */
  #finishPartialLine(chunk: Uint8Array): number {
    if (this.#partial.length === 0 && !this.#isInLongLine) return 0;
    const lineFeed = chunk.indexOf(LINE_FEED);
    const end = lineFeed === -1 ? chunk.length : lineFeed + 1;
    this.#beginPartialLine(chunk.subarray(0, end));
    if (lineFeed === -1) return end;
    if (this.#isInLongLine) {
      this.#isInLongLine = false;
      return end;
    }
    const line = this.#partial.view();
    if (this.#carried !== undefined && haveSameBytes(this.#carried.line, line)) {
      this.#carried.count += 1;
    } else {
      this.#endCarried();
      this.#carried = { line: new Uint8Array(line), count: 1 };
    }
    this.#partial.clear();
    return end;
  }

  /** Takes bytes of a line that has no end yet. */
  #beginPartialLine(bytes: Uint8Array): void {
    if (!this.#isInLongLine && this.#partial.length + bytes.length > MAX_FOLDED_LINE_BYTES) {
      this.#endCarried();
      this.#window.append(this.#partial.view());
      this.#partial.clear();
      this.#isInLongLine = true;
    }
    if (this.#isInLongLine) this.#window.append(bytes);
    else this.#partial.append(bytes);
  }

  /** Counts the lines that go on with the run of earlier chunks; returns where the first other one starts. */
  #extendCarried(chunk: Uint8Array, from: number): number {
    const carried = this.#carried;
    if (carried === undefined) return from;
    const { length } = carried.line;
    let start = from;
    if (haveSameBytes(chunk.subarray(start, start + length), carried.line)) {
      const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      do {
        carried.count += 1;
        start += length;
      } while (start + length <= chunk.length && repeatsPreviousLine(view, start, length));
    }
    if (chunk.indexOf(LINE_FEED, start) !== -1) this.#endCarried();
    return start;
  }

  #endCarried(): void {
    if (this.#carried === undefined) return;
    const { line, count } = this.#carried;
    this.#carried = undefined;
    const marker = this.#markerFor(line.length, count);
    if (marker !== undefined) {
      this.#window.append(line);
      this.#window.appendMarker(marker, line.length, (count - 1) * line.length);
      return;
    }
    for (let copy = 0; copy < count; copy += 1) this.#window.append(line);
  }

  /** Folds the whole lines of a chunk but the last run, which may go on; returns where the part without an end starts. */
  #foldWholeLines(chunk: Uint8Array, from: number): number {
    const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let written = from;
    let runStart = from;
    let lineLength = 0;
    let start = from;
    // Bytes go to the window in ranges as long as possible: lines without copies cost no call of their own.
    const endRun = () => {
      const count = lineLength === 0 ? 0 : (start - runStart) / lineLength;
      const marker = this.#markerFor(lineLength, count);
      if (marker === undefined) return;
      this.#window.append(chunk.subarray(written, runStart + lineLength));
      this.#window.appendMarker(marker, lineLength, (count - 1) * lineLength);
      written = start;
    };
    for (;;) {
      const lineFeed = chunk.indexOf(LINE_FEED, start);
      if (lineFeed === -1) break;
      const length = lineFeed + 1 - start;
      if (length !== lineLength || !repeatsPreviousLine(view, start, length)) {
        endRun();
        runStart = start;
        lineLength = length;
      }
      start = lineFeed + 1;
    }
    const isFoldable = lineLength > 0 && lineLength <= MAX_FOLDED_LINE_BYTES;
    this.#window.append(chunk.subarray(written, isFoldable ? runStart : start));
    if (isFoldable) {
      const line = new Uint8Array(chunk.subarray(runStart, runStart + lineLength));
      this.#carried = { line, count: (start - runStart) / lineLength };
    }
    return start;
  }

  #markerFor(lineLength: number, count: number): string | undefined {
    if (count < this.#threshold) return undefined;
    const marker = `[a3s repeated-line fold: ${count - 1} additional exact copies omitted]\n`;
    return marker.length < (count - 1) * lineLength ? marker : undefined;
  }
}

const LINE_FEED = 10;

function haveSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) {
    if (one[index] !== other[index]) return false;
  }
  return true;
}
