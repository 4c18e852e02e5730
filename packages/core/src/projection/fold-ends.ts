import { LineFolder } from './line-folder.ts';
import { OutputWindow, type WindowEnd } from './output-window.ts';
import type { ProjectionPolicy } from './policy.ts';
import { repeatsPreviousLine } from './repeated-line.ts';

/** What a projection needs of a text: its beginning, its end, and whether the beginning is all of it. */
export interface TextEnds {
  /** The length of the whole, or any number above the bound where it is larger than the bound. */
  readonly length: number;
  front(): WindowEnd;
  back(): WindowEnd;
}

/**
 * Folds as much of a text in memory as its projection shows, from both ends, and so does not read the middle of a large
 * one. Gives what folding all of it gives.
 */
export function foldEnds(bytes: Uint8Array, policy: ProjectionPolicy): TextEnds {
  const max = policy.max_output_bytes;
  const whole = new OutputWindow(max, policy.tail_bytes);
  const folder = new LineFolder(whole, policy.repeated_line_threshold);
  for (let from = 0; from < bytes.length; from += STEP_BYTES) {
    folder.push(bytes.subarray(from, from + STEP_BYTES));
    const isMiddleLeft = bytes.length - from > MIN_MIDDLE_BYTES;
    if (isMiddleLeft && whole.length > max) {
      const end = foldTail(bytes, policy);
      return { length: whole.length, front: () => whole.front(), back: () => end.back() };
    }
  }
  folder.finish();
  return whole;
}

const STEP_BYTES = 65_536;
/** With less than this left, reading on is no slower than starting anew from the end: 1 MiB. */
const MIN_MIDDLE_BYTES = 1_048_576;

/** The end of the folded text, at least as much as the policy shows. */
function foldTail(bytes: Uint8Array, policy: ProjectionPolicy): OutputWindow {
  if (policy.tail_bytes === 0) return new OutputWindow(0, 0);
  for (let size = 4 * policy.tail_bytes; ; size *= 4) {
    const from = Math.max(0, bytes.length - size);
    const start = from === 0 ? 0 : findRunStart(bytes, from);
    const window = new OutputWindow(0, policy.tail_bytes);
    if (start !== undefined) {
      const folder = new LineFolder(window, policy.repeated_line_threshold);
      folder.push(bytes.subarray(start));
      folder.finish();
    }
    if (start === 0 || window.length >= policy.tail_bytes) return window;
  }
}

/** The first line after `from` that differs from the one before it: no run goes on there. */
function findRunStart(bytes: Uint8Array, from: number): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let previous = bytes.indexOf(LINE_FEED, from) + 1;
  let start = previous === 0 ? 0 : bytes.indexOf(LINE_FEED, previous) + 1;
  while (start !== 0) {
    const next = bytes.indexOf(LINE_FEED, start) + 1;
    const length = next - start;
    if (length !== start - previous || !repeatsPreviousLine(view, start, length)) return start;
    previous = start;
    start = next;
  }
  return undefined;
}

const LINE_FEED = 10;
