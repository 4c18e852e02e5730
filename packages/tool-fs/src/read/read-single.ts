import { ToolError } from '@toolwright/core';
import type { ToolOutput } from '@toolwright/core';
import type { OpenImage, OpenText } from './open-document.ts';
import { fromReadCursor, toReadCursor } from './read-cursor.ts';
import { rangeFacts, textFacts } from './text-facts.ts';
import { positionOfByte, positionOfLine, renderRow, takeWindow } from './text-window.ts';
import type { TextPosition, WindowRow } from './text-window.ts';

/** Bytes that a hint on how to go on takes at most. */
const HINT_BYTES = 192;

/** What part of a text to read. */
export interface WindowRequest {
  /** First line, 0-based; used without a cursor. */
  readonly offset: number;
  readonly cursor: string | undefined;
  /** Lines at most. */
  readonly limit: number;
  readonly limitClamped: boolean;
  /** UTF-8 bytes of the whole output. */
  readonly maxBytes: number;
}

/** One window of a text, with how to go on. */
export async function readWindow(text: OpenText, request: WindowRequest): Promise<ToolOutput> {
  const start = await startOf(text, request);
  const notice = start.at <= text.scan.detected.bomLength ? noticeOf(text) : '';
  const maxBytes = request.maxBytes - Buffer.byteLength(notice);
  const window = await takeWindow(text, start, {
    maxLines: request.limit,
    maxBytes,
    cutAtBytes: maxBytes - HINT_BYTES,
  });
  const fitted = fitHint(text, { ...window, maxBytes, start });
  const output = notice + fitted.rows.map(renderRow).join('') + fitted.hint;
  const facts = rangeFacts(text, {
    rows: fitted.rows,
    next: fitted.next,
    offset: start.line,
    limitClamped: request.limitClamped,
    outputBytes: Buffer.byteLength(output),
  });
  return {
    output,
    metadata: {
      ...textFacts(text),
      status: fitted.next === null ? 'complete' : 'partial',
      range: facts,
      source_anchors: [text.path],
    },
  };
}

/** An image as an image, with a line of text about it. */
export function showImage(image: OpenImage): ToolOutput {
  const { path, mediaType, width, height, bytes, sha256 } = image;
  return {
    output: `[${mediaType} image, ${width} × ${height} pixels, ${bytes.length} bytes]\n`,
    content: [{ type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType: mediaType }],
    metadata: {
      file_path: path,
      sha256,
      media_type: mediaType,
      width,
      height,
      bytes: bytes.length,
      source_anchors: [path],
    },
  };
}

/** Where a window starts. Errors: `invalid_argument` with `out_of_range` beyond the last line, or a bad cursor. */
export async function startOf(
  text: OpenText,
  request: Pick<WindowRequest, 'offset' | 'cursor'>,
): Promise<TextPosition> {
  if (request.cursor !== undefined) {
    return positionOfByte(text.source, text.scan, fromReadCursor(text, request.cursor));
  }
  const { totalLines } = text.scan;
  if (request.offset > totalLines) {
    throw new ToolError(
      'invalid_argument',
      `offset ${request.offset} is beyond the end of ${JSON.stringify(text.path)}, which has ${totalLines} lines.`,
      { reason: 'out_of_range', fields: { path: text.path, total_lines: totalLines } },
    );
  }
  return positionOfLine(text.source, text.scan, request.offset);
}

function noticeOf(text: OpenText): string {
  switch (text.document) {
    case 'pdf':
      return '[text of a PDF, page by page]\n';
    case 'notebook':
      return '[cells of a notebook as text; the file itself is JSON, and edits apply to that]\n';
    case 'text':
      return '';
  }
}

interface Fitted {
  readonly rows: readonly WindowRow[];
  readonly next: TextPosition | null;
  readonly hint: string;
}

/** Gives back rows at the end until the hint fits beside the rest; beside a single row it always does. */
function fitHint(
  text: OpenText,
  window: {
    readonly rows: readonly WindowRow[];
    readonly next: TextPosition | null;
    readonly maxBytes: number;
    readonly start: TextPosition;
  },
): Fitted {
  const rows = [...window.rows];
  let { next } = window;
  let used = rows.reduce((sum, row) => sum + row.bytes, 0);
  for (;;) {
    const hint = hintOf(text, { rows, next, start: window.start });
    if (used + Buffer.byteLength(hint) <= window.maxBytes) return { rows, next, hint };
    const last = rows.pop();
    if (last === undefined) return { rows, next, hint: '' };
    used -= last.bytes;
    next = last.start;
  }
}

function hintOf(
  text: OpenText,
  window: {
    readonly rows: readonly WindowRow[];
    readonly next: TextPosition | null;
    readonly start: TextPosition;
  },
): string {
  const { rows, next, start } = window;
  const { totalLines } = text.scan;
  if (next === null) {
    return rows.length === 0 ? `[end of file: ${totalLines} lines]\n` : '';
  }
  if (next.at !== next.byte) {
    const cursor = toReadCursor(text, next.at);
    return `[line ${next.line + 1} goes on; read on with cursor ${JSON.stringify(cursor)}]\n`;
  }
  return `[lines ${start.line + 1}-${next.line} of ${totalLines}; read on with offset ${next.line}]\n`;
}
