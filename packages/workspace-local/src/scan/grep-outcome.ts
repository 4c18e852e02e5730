import type { GrepFile, GrepRequest, GrepOutcome } from '@toolwright/core';
import { compareUtf8 } from '../walk/compare-utf8.ts';
import type { ItemResult } from './scan-job.ts';

/** Entries of `notSearched` that are told; the rest is counted in the last. */
const maxTold = 200;

/** Puts the results of all items together, and cuts the rows to the limit. */
export function toOutcome(
  results: readonly ItemResult[],
  request: Pick<GrepRequest, 'limit' | 'context'> & {
    readonly undecoded?: GrepRequest['undecoded'] | undefined;
  },
): GrepOutcome {
  const files: GrepFile[] = [];
  const notSearched: { path: string; reason: string }[] = [];
  const undecoded: string[] = [];
  let matchingLines = 0;
  let left = request.limit;
  let more = false;
  for (const result of results) {
    for (const file of result.files) {
      matchingLines += file.matchingLines;
      const matches = file.lines.reduce((count, line) => count + (line.match ? 1 : 0), 0);
      if (matches > left) more = true;
      const lines = matches > left ? cutRows(file.lines, left, request.context) : file.lines;
      files.push({ path: file.path, matchingLines: file.matchingLines, lines });
      left -= Math.min(matches, left);
    }
    // There may be more of them than a call takes arguments.
    for (const each of result.notSearched) notSearched.push(each);
    for (const path of result.undecoded) undecoded.push(path);
  }
  // In which piece a path was met says nothing: the same tree gives the same list.
  notSearched.sort((a, b) => compareUtf8(a.path, b.path) || compareUtf8(a.reason, b.reason));
  const isCut = notSearched.some(({ reason }) => reason === 'deadline');
  const told = request.undecoded === undefined ? {} : { undecoded };
  return {
    files,
    matchingLines,
    more,
    truncated: isCut,
    notSearched: bounded(notSearched),
    ...told,
  };
}

/** Rows up to the last match that is left, and its context: what comes before the next match goes with that one. */
function cutRows(lines: GrepFile['lines'], matches: number, context: number): GrepFile['lines'] {
  let left = matches;
  let lastLine = 0;
  const end = lines.findIndex(({ match, line }) => {
    if (match && left > 0) {
      left -= 1;
      lastLine = line + context;
      return false;
    }
    return left === 0 && (match || line > lastLine);
  });
  return end < 0 ? lines : lines.slice(0, end);
}

function bounded(
  notSearched: readonly { readonly path: string; readonly reason: string }[],
): GrepOutcome['notSearched'] {
  if (notSearched.length <= maxTold) return notSearched;
  const rest = notSearched.length - maxTold + 1;
  return [...notSearched.slice(0, maxTold - 1), { path: '', reason: `${rest}_more` }];
}
