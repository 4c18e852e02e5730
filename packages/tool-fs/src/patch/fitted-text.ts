import { trimCr } from './diff-lines.ts';
import type { HunkLine } from './hunk.ts';
import type { PatchTarget } from './match-side.ts';
import type { SourceText } from './source-text.ts';

interface OutputLine {
  readonly text: string;
  /** Empty where the line has no newline. */
  readonly ending: string;
  readonly added: boolean;
}

/**
 * The text that replaces a range of lines, with the line endings of the file: an added line has the ending
 * of the line that it replaces, in order, else of the line before it. Unless the diff marks missing
 * newlines, a file that ends without one still does.
 *
 * @param span the lines that change, 0-based, end excluded
 * @param changed lines of the hunk from its first to its last change
 */
export function fittedText(
  target: PatchTarget,
  span: { readonly start: number; readonly end: number },
  changed: readonly HunkLine[],
): string {
  const { source, literalNewline } = target;
  const nearby = endingNear(source, span.start, changed);
  const lines = outputLines(source, span.start, { changed, nearby });
  const last = lines.at(-1);
  if (last === undefined) return '';
  const unfinished = span.end === source.lines.length && !source.terminated;
  // Text after a last line without a newline: that line gets one.
  let text = unfinished && span.start === source.lines.length ? nearby : '';
  for (const line of lines) {
    if (line !== last) text += line.text + (line.ending || nearby);
    else text += line.text + (unfinished && line.added && !literalNewline ? '' : line.ending);
  }
  return text;
}

function outputLines(
  source: SourceText,
  start: number,
  { changed, nearby }: { readonly changed: readonly HunkLine[]; readonly nearby: string },
): readonly OutputLine[] {
  const output: OutputLine[] = [];
  let at = start;
  let ending = nearby;
  let index = 0;
  while (index < changed.length) {
    if (changed[index]?.kind === 'context') {
      output.push(sourceLine(source, at));
      ending = endingOf(source, at) || ending;
      at += 1;
      index += 1;
      continue;
    }
    let end = index;
    while (end < changed.length && changed[end]?.kind !== 'context') end += 1;
    const block = changed.slice(index, end);
    const removed = block.filter((line) => line.kind === 'remove');
    for (const [place, line] of block.filter(({ kind }) => kind === 'add').entries()) {
      if (place < removed.length) ending = endingOf(source, at + place) || ending;
      output.push({ text: trimCr(line.text), ending: line.terminated ? ending : '', added: true });
    }
    at += removed.length;
    index = end;
  }
  return output;
}

function sourceLine(source: SourceText, at: number): OutputLine {
  const ending = endingOf(source, at);
  const line = source.lines[at] ?? '';
  return { text: ending === '\r\n' ? trimCr(line) : line, ending, added: false };
}

/** How a line of the file ends; empty for one that is not there or has no newline. */
function endingOf(source: SourceText, at: number): string {
  const line = source.lines[at];
  if (line === undefined || (at === source.lines.length - 1 && !source.terminated)) return '';
  return line.endsWith('\r') ? '\r\n' : '\n';
}

/** The ending of the line before a place, else after it, else of the file's first; else the diff's own. */
function endingNear(source: SourceText, at: number, changed: readonly HunkLine[]): string {
  const own = changed.some((line) => line.text.endsWith('\r')) ? '\r\n' : '\n';
  return endingOf(source, at - 1) || endingOf(source, at) || endingOf(source, 0) || own;
}
