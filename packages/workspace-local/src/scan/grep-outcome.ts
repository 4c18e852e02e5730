import type { GrepFile, GrepRequest, GrepOutcome } from '@toolwright/core';
import { compareUtf8 } from '../walk/compare-utf8.ts';
import type { ItemResult } from './scan-job.ts';

/** Entries of `notSearched` that are told; the rest is counted in the last. */
const maxTold = 200;

/** Puts the results of all items together, and cuts the rows to the limit. */
export function toOutcome(
  results: readonly ItemResult[],
  request: { readonly limit: number; readonly undecoded?: GrepRequest['undecoded'] | undefined },
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
      const lines = matches > left ? cutRows(file.lines, left) : file.lines;
      files.push({ path: file.path, matchingLines: file.matchingLines, lines });
      left -= Math.min(matches, left);
    }
    notSearched.push(...result.notSearched);
    undecoded.push(...result.undecoded);
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

/** Rows up to the context of the last match that is left. */
function cutRows(lines: GrepFile['lines'], matches: number): GrepFile['lines'] {
  let seen = 0;
  const end = lines.findIndex((line) => {
    if (line.match) seen += 1;
    return seen > matches;
  });
  let cut = end < 0 ? lines.length : end;
  // The context before the first match that is cut away goes with it.
  while (cut > 0 && lines[cut - 1]?.match === false) cut -= 1;
  return matches === 0 ? [] : lines.slice(0, cut);
}

function bounded(
  notSearched: readonly { readonly path: string; readonly reason: string }[],
): GrepOutcome['notSearched'] {
  if (notSearched.length <= maxTold) return notSearched;
  const rest = notSearched.length - maxTold + 1;
  return [...notSearched.slice(0, maxTold - 1), { path: '', reason: `${rest}_more` }];
}
