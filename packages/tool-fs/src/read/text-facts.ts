import type { JsonObject } from '@toolwright/core';
import { lineEndingsOf } from '@toolwright/documents';
import type { OpenText } from './open-document.ts';
import { toReadCursor } from './read-cursor.ts';
import type { TextPosition, WindowRow } from './text-window.ts';

/** `metadata` of a text that was read, but for the window. */
export function textFacts(text: OpenText): JsonObject {
  const { scan } = text;
  return {
    file_path: text.path,
    sha256: text.sha256,
    encoding: scan.detected.encoding,
    bom: scan.detected.bomLength > 0,
    eol: lineEndingsOf(scan.index),
    ...(scan.detected.lossy ? { lossy: true } : {}),
    ...(text.document === 'text' ? {} : { document_kind: text.document }),
    final_newline: scan.index.finalNewline,
  };
}

/** A window that was taken, for `range`. */
export interface TakenWindow {
  readonly rows: readonly WindowRow[];
  /** Where the text goes on; null at its end. */
  readonly next: TextPosition | null;
  /** The first line of the window, 0-based. */
  readonly offset: number;
  readonly limitClamped: boolean;
  readonly outputBytes: number;
}

/** `metadata.range` of a window. */
export function rangeFacts(text: OpenText, window: TakenWindow): JsonObject {
  const { next, rows } = window;
  const isMixed = lineEndingsOf(text.scan.index) === 'mixed';
  return {
    offset: window.offset,
    returned_lines: rows.length,
    // Inside a line there is no line to go on at: only the cursor gets past it.
    next_offset: next === null || next.at !== next.byte ? null : next.line,
    next_cursor: next === null ? null : toReadCursor(text, next.at),
    eof: next === null,
    total_lines: text.scan.totalLines,
    limit_clamped: window.limitClamped,
    output_bytes: window.outputBytes,
    cut_lines: rows.filter((row) => row.cut).map((row) => row.line + 1),
    ...(isMixed ? { crlf_lines: rows.filter((row) => row.crlf).map((row) => row.line + 1) } : {}),
  };
}
