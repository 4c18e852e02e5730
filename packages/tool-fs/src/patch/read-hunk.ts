import { readCountedBody, readShapedBody, type HunkBody } from './hunk-body.ts';
import { readHunkHeader } from './hunk-header.ts';
import type { Hunk } from './hunk.ts';
import { malformedDiff } from './malformed-diff.ts';

/** A hunk, and the index of the first line of the diff after it. */
export interface ReadHunk {
  readonly hunk: Hunk;
  readonly next: number;
}

/** How the grammar around a hunk bounds it. */
export interface ReadHunkOptions {
  /** 1-based number of the hunk in its file. */
  readonly number: number;
  /** Whether a hunk without counts ends before this line. */
  readonly isEnd: (index: number) => boolean;
  /** Take the counts of a numbered header as binding (unified), or only its start as a hint (V4A). */
  readonly counted: boolean;
}

/** Reads the hunk that begins at an `@@` line; several such lines in a row are anchors, outermost first. */
export function readHunk(lines: readonly string[], at: number, options: ReadHunkOptions): ReadHunk {
  const { number, isEnd, counted } = options;
  const anchors: string[] = [];
  let start: number | null = null;
  let newStart: number | null = null;
  let index = at;
  for (; lines[index]?.startsWith('@@') === true; index += 1) {
    const header = readHunkHeader(lines[index] ?? '', index + 1);
    if (header.kind === 'anchored') {
      if (header.anchor !== '') anchors.push(header.anchor);
      continue;
    }
    start = header.oldStart;
    newStart = header.newStart;
    if (!counted) continue;
    const body = readCountedBody(lines, index + 1, header);
    return { hunk: toHunk(body), next: body.next };
  }
  const body = readShapedBody(lines, index, isEnd);
  if (body.lines.length === 0) {
    throw malformedDiff(at + 1, 'this hunk has no lines; each needs a prefix " ", "-" or "+".');
  }
  return { hunk: toHunk(body), next: body.next };

  function toHunk(body: HunkBody): Hunk {
    const { lines: hunkLines } = body;
    return { number, diffLine: at + 1, start, newStart, anchors, atEnd: false, lines: hunkLines };
  }
}
