import { tokensOf } from '../text/token-scanner.ts';
import { showName } from '../search/show-name.ts';
import { passageLines, type RankedPassage } from './passage-index.ts';

/** A passage as it is shown: the line that answers best, with its neighbours. */
export interface Snippet {
  readonly path: string;
  /** 1-based, of the lines that are shown. */
  readonly startLine: number;
  readonly endLine: number;
  readonly score: number;
  readonly text: string;
}

const maxLineBytes = 500;

/** Cuts the part of a passage that holds most of the query's terms. */
export function renderPassage(
  ranked: RankedPassage,
  text: string,
  show: { readonly terms: readonly string[]; readonly lines: number },
): Snippet {
  const all = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  const from = ranked.passage * passageLines;
  const passage = all.slice(from, from + passageLines);
  const wanted = new Set(show.terms);
  let best = 0;
  let bestHits = -1;
  for (const [index, line] of passage.entries()) {
    const hits = new Set(tokensOf(line).filter((token) => wanted.has(token))).size;
    if (hits > bestHits) {
      best = index;
      bestHits = hits;
    }
  }
  const first = Math.max(best - show.lines, 0);
  const last = Math.min(best + show.lines, passage.length - 1);
  const rows = passage
    .slice(first, last + 1)
    .map((line, index) => `${String(from + first + index + 1).padStart(6)} | ${cut(line)}\n`);
  const score = Math.round(ranked.score * 10_000) / 10_000;
  const startLine = from + first + 1;
  const endLine = from + last + 1;
  const head = `${showName(ranked.file.path)}:${startLine}-${endLine} (score ${score.toFixed(4)})\n`;
  return { path: ranked.file.path, startLine, endLine, score, text: head + rows.join('') };
}

function cut(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxLineBytes) return text;
  let end = maxLineBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end).toString('utf8')}…`;
}
