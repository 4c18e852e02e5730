import type { GrepFile, GrepLine, JsonObject } from '@toolwright/core';
import { showName } from './show-name.ts';

/** The rows of a page, and where they end. */
export interface ContentPage {
  readonly text: string;
  readonly matchingLines: number;
  /** The last matching line among them. */
  readonly last: { readonly path: string; readonly line: number } | undefined;
  /** The output was full before the rows were at an end. */
  readonly cut: boolean;
  /** The matching lines as data, as far as they fit. */
  readonly matches: JsonObject[];
}

/** Bytes of `structured` as JSON: the kernel keeps 64 KiB. */
const maxMatchBytes = 49_152;

/** What the rows of a page are written by. */
export interface RenderOptions {
  readonly maxBytes: number;
  /** Lines around each match. */
  readonly context: number;
  /** The last matching line of the page before. */
  readonly after: { readonly path: string; readonly line: number } | undefined;
}

/**
 * Writes rows `path:line: text` for matches and `path-line- text` for context, with `--` between groups that do
 * not touch, those of the page before included: pages one after the other are the rows of one. Ends before a match
 * that no longer fits with its context; the first one is always given.
 */
export function renderContent(files: readonly GrepFile[], options: RenderOptions): ContentPage {
  const parts: string[] = [];
  const matches: JsonObject[] = [];
  let last: { path: string; line: number } | undefined;
  let bytes = 0;
  let matchBytes = 0;
  let matchingLines = 0;
  for (const { path, lines } of files) {
    const name = showName(path);
    let before = options.after?.path === path ? options.after.line + options.context : -1;
    for (const { rows, match } of matchesWithContext(lines, options.context)) {
      let text = '';
      for (const row of rows) {
        const touches = row.line <= before + 1;
        const isFirst = parts.length === 0 && text === '' && options.after === undefined;
        if (options.context > 0 && !isFirst && !touches) text += '--\n';
        text += row.match
          ? `${name}:${row.line}: ${row.text}\n`
          : `${name}-${row.line}- ${row.text}\n`;
        before = row.line;
      }
      bytes += Buffer.byteLength(text);
      if (bytes > options.maxBytes && last !== undefined) {
        return { text: parts.join(''), matchingLines, last, cut: true, matches };
      }
      parts.push(text);
      matchingLines += 1;
      last = { path, line: match.line };
      const entry = {
        path,
        line: match.line,
        ...(match.endLine === undefined ? {} : { end_line: match.endLine }),
        text: match.text,
      };
      matchBytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
      if (matchBytes <= maxMatchBytes) matches.push(entry);
    }
  }
  return { text: parts.join(''), matchingLines, last, cut: false, matches };
}

/** Each match with the rows before it that are not the context after another, and its own context after it. */
function* matchesWithContext(lines: readonly GrepLine[], context: number) {
  let rows: GrepLine[] = [];
  let match: GrepLine | undefined;
  for (const line of lines) {
    const follows = match === undefined || (!line.match && line.line <= match.line + context);
    if (!follows && match !== undefined) {
      yield { rows, match };
      rows = [];
      match = undefined;
    }
    rows.push(line);
    if (line.match) match = line;
  }
  if (match !== undefined) yield { rows, match };
}
