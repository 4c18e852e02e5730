import type { TextSplice } from '@toolwright/documents';
import { lineChanges, linesWithEndings } from '../change/line-changes.ts';
import { withLineEndings } from './line-ending-at.ts';

/** A place where the lines of a search text stand, indented otherwise. */
export interface IndentedMatch {
  readonly start: number;
  readonly end: number;
  /** The replacement in the file's indentation, as splices; `undefined` where it cannot be indented so. */
  toSplices(replacement: string): TextSplice[] | undefined;
}

interface Line {
  /** Offset of the line in the text. */
  readonly start: number;
  /** After its last character that is no white space. */
  readonly contentEnd: number;
  /** After its ending. */
  readonly end: number;
  readonly indent: string;
  readonly content: string;
}

/** Turns the indentation of a line of the search text into the file's; `undefined` where it cannot. */
type Reindent = (indent: string) => string | undefined;

/**
 * Finds whole lines that agree with a search text but for white space at their ends, when one rule turns the
 * indentation of all its lines into the file's: a prefix more, a prefix less, or tabs for so many blanks.
 */
export function findIndented(text: string, search: string): IndentedMatch[] {
  const lines = linesOf(text);
  const wanted = linesOf(search);
  if (wanted.every((line) => line.content === '')) return [];
  return startsOf(lines, wanted).flatMap((first) => {
    const found = lines.slice(first, first + wanted.length);
    const reindent = reindentOf(wanted, found);
    const head = found[0];
    const tail = found.at(-1);
    if (reindent === undefined || head === undefined || tail === undefined) return [];
    const end = search.endsWith('\n') ? tail.end : tail.contentEnd;
    return [
      {
        start: head.start,
        end,
        toSplices: (replacement) =>
          spliceLines({ text, found, end, reindent }, { search, replacement }),
      },
    ];
  });
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline + 1;
    const line = text.slice(start, end);
    const content = line.trim();
    const indent = content === '' ? '' : line.slice(0, line.indexOf(content));
    lines.push({ start, contentEnd: start + indent.length + content.length, end, indent, content });
    start = end;
  }
  return lines;
}

/** First lines of all occurrences, by Knuth, Morris and Pratt's search over line contents: linear, whatever repeats. */
function startsOf(lines: readonly Line[], wanted: readonly Line[]): number[] {
  const pattern = wanted.map((line) => line.content);
  const fallback = [0];
  for (let index = 1, length = 0; index < pattern.length; index += 1) {
    while (length > 0 && pattern[index] !== pattern[length]) length = fallback[length - 1] ?? 0;
    if (pattern[index] === pattern[length]) length += 1;
    fallback.push(length);
  }
  const starts: number[] = [];
  let matched = 0;
  for (const [index, line] of lines.entries()) {
    while (matched > 0 && line.content !== pattern[matched]) matched = fallback[matched - 1] ?? 0;
    if (line.content === pattern[matched]) matched += 1;
    if (matched !== pattern.length) continue;
    starts.push(index - matched + 1);
    matched = fallback[matched - 1] ?? 0;
  }
  return starts;
}

/** The one rule that turns the indentation of every wanted line into that of the line found. */
function reindentOf(wanted: readonly Line[], found: readonly Line[]): Reindent | undefined {
  const pairs = wanted
    .map((line, index): [string, string] => [line.indent, found[index]?.indent ?? ''])
    .filter((_, index) => wanted[index]?.content !== '');
  return rulesFor(pairs).find((rule) => pairs.every(([from, to]) => rule(from) === to));
}

function rulesFor(pairs: readonly [string, string][]): Reindent[] {
  const [from, to] = pairs[0] ?? ['', ''];
  const rules: Reindent[] = [];
  if (to.endsWith(from)) {
    const prefix = to.slice(0, to.length - from.length);
    rules.push((indent) => prefix + indent);
  }
  if (from.endsWith(to)) {
    const prefix = from.slice(0, from.length - to.length);
    rules.push((indent) => (indent.startsWith(prefix) ? indent.slice(prefix.length) : undefined));
  }
  const [wide, narrow] = pairs.find(([a, b]) => a !== '' && b !== '') ?? ['', ''];
  if (/^\t+$/.test(wide) && /^ +$/.test(narrow) && narrow.length % wide.length === 0) {
    const unit = ' '.repeat(narrow.length / wide.length);
    rules.push((indent) => (/^\t*$/.test(indent) ? unit.repeat(indent.length) : undefined));
  }
  if (/^ +$/.test(wide) && /^\t+$/.test(narrow) && wide.length % narrow.length === 0) {
    const unit = wide.length / narrow.length;
    rules.push((indent) =>
      /^ *$/.test(indent) && indent.length % unit === 0
        ? '\t'.repeat(indent.length / unit)
        : undefined,
    );
  }
  return rules;
}

/** Lines that the replacement keeps stay as they are; the others are written in the file's indentation. */
function spliceLines(
  place: {
    readonly text: string;
    readonly found: readonly Line[];
    readonly end: number;
    readonly reindent: Reindent;
  },
  edit: { readonly search: string; readonly replacement: string },
): TextSplice[] | undefined {
  const { text, found, end, reindent } = place;
  const splices: TextSplice[] = [];
  const changes = lineChanges(linesWithEndings(edit.search), linesWithEndings(edit.replacement));
  for (const { beforeLine, removed, added } of changes) {
    const lines: string[] = [];
    for (const line of added) {
      const content = line.trimStart();
      const indent = content === '' ? '' : reindent(line.slice(0, line.length - content.length));
      if (indent === undefined) return undefined;
      lines.push(content === '' ? line : indent + content);
    }
    const start = found[beforeLine]?.start ?? end;
    const next = beforeLine + removed.length;
    const stop = next < found.length ? (found[next]?.start ?? end) : end;
    const inserted = withLineEndings(text, start, lines.join(''));
    splices.push({ start, end: removed.length === 0 ? start : stop, replacement: inserted });
  }
  return splices;
}
