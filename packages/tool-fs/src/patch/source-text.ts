import { ToolError } from '@toolwright/core';
import { trimCr } from './diff-lines.ts';

/** Lines that may be looked at in search of the hunks of one file, so that no diff can hold up the host. */
const maxSearchedLines = 200_000_000;

/** A file's text, cut into lines at LF alone. */
export interface SourceText {
  readonly text: string;
  /** Lines without their LF; a CR before the LF is still there. */
  readonly lines: readonly string[];
  /** The same without that CR; the same array where there is none. */
  readonly keys: readonly string[];
  /** Whether the last line ends in a newline; true for an empty file. */
  readonly terminated: boolean;
  /** Index in `text` where line `index` begins; `lines.length` gives the end of the text. */
  offsetOf(index: number): number;
  /** Where lines with this key stand, ascending. */
  positionsOf(key: string): readonly number[];
  /** Counts lines that were looked at. Throws `limit_exceeded`/`search` after 200 million. */
  countSearched(lines: number): void;
}

/** Cuts a text into lines; the indexes are built when they are first asked for. */
export function toSourceText(text: string): SourceText {
  const lines = text.split('\n');
  const terminated = lines.at(-1) === '';
  if (terminated) lines.pop();
  const keys = text.includes('\r') ? lines.map(trimCr) : lines;
  let offsets: Float64Array | undefined;
  let searched = 0;
  let positions: Map<string, number[]> | undefined;
  return {
    text,
    lines,
    keys,
    terminated,
    offsetOf(index) {
      if (index >= lines.length) return text.length;
      offsets ??= lineOffsets(lines);
      return offsets[index] ?? 0;
    },
    positionsOf(key) {
      positions ??= linePositions(keys);
      return positions.get(key) ?? [];
    },
    countSearched(count) {
      searched += count;
      if (searched <= maxSearchedLines) return;
      throw new ToolError(
        'limit_exceeded',
        'Finding the hunks of this file by their content takes too long. Give the right line numbers, or send fewer hunks.',
        { reason: 'search' },
      );
    },
  };
}

function lineOffsets(lines: readonly string[]): Float64Array {
  const offsets = new Float64Array(lines.length);
  let offset = 0;
  for (let index = 0; index < lines.length; index += 1) {
    offsets[index] = offset;
    offset += (lines[index]?.length ?? 0) + 1;
  }
  return offsets;
}

function linePositions(keys: readonly string[]): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? '';
    const known = positions.get(key);
    if (known === undefined) positions.set(key, [index]);
    else known.push(index);
  }
  return positions;
}
