import type { GrepFile, JsonObject } from '@toolwright/core';
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

/**
 * Writes rows `path:line: text` for matches and `path-line- text` for context, with `--` between groups that do
 * not touch. Ends at a matching line when the output is full; at least one row is always given.
 */
export function renderContent(
  files: readonly GrepFile[],
  options: { readonly maxBytes: number; readonly separates: boolean },
): ContentPage {
  const rows: string[] = [];
  const matches: JsonObject[] = [];
  let last: { path: string; line: number } | undefined;
  let bytes = 0;
  let matchBytes = 0;
  let matchingLines = 0;
  /** Rows, bytes: up to the last matching line. */
  let settled = 0;
  for (const file of files) {
    const name = showName(file.path);
    let before = -1;
    for (const { line, text, match, endLine } of file.lines) {
      const touches = before === line - 1;
      const separator = options.separates && rows.length > 0 && !touches ? '--\n' : '';
      const row = match ? `${name}:${line}: ${text}\n` : `${name}-${line}- ${text}\n`;
      bytes += Buffer.byteLength(separator) + Buffer.byteLength(row);
      if (bytes > options.maxBytes && last !== undefined) {
        return { text: rows.slice(0, settled).join(''), matchingLines, last, cut: true, matches };
      }
      rows.push(separator + row);
      before = line;
      if (!match) continue;
      settled = rows.length;
      matchingLines += 1;
      last = { path: file.path, line };
      const entry = {
        path: file.path,
        line,
        ...(endLine === undefined ? {} : { end_line: endLine }),
        text,
      };
      matchBytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
      if (matchBytes <= maxMatchBytes) matches.push(entry);
    }
  }
  return { text: rows.join(''), matchingLines, last, cut: false, matches };
}
