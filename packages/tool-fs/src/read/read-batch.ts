import { ToolError } from '@toolwright/core';
import type { JsonObject, ToolErrorType, ToolOutput } from '@toolwright/core';
import { showName } from '../display/show-name.ts';
import { withDocument } from './open-document.ts';
import type { OpenLimits, OpenText, ReadContext } from './open-document.ts';
import { toReadCursor } from './read-cursor.ts';
import { startOf } from './read-single.ts';
import { rangeFacts, textFacts } from './text-facts.ts';
import { renderRow, takeWindow } from './text-window.ts';
import type { TextPosition, WindowRow } from './text-window.ts';

/** One file of a batch, as it is asked for and as a continuation names it. */
export interface BatchEntry {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly cursor?: string;
}

/** What a batch may use. */
export interface BatchLimits extends OpenLimits {
  /** Lines of a file without a limit of its own. */
  readonly defaultLimit: number;
  /** UTF-8 bytes of the whole output. */
  readonly maxBytes: number;
}

/** What one file added. */
interface Segment {
  readonly text: string;
  readonly result: JsonObject;
  readonly anchor?: string;
  readonly error?: ToolError;
  /** How the same file goes on; null when it is done. */
  readonly rest: BatchEntry | null;
}

/**
 * Reads several files under one budget, in order. When it is used up, the answer ends with the entries to pass next;
 * all answers together hold every line that was asked for once.
 */
export async function readBatch(
  context: ReadContext,
  entries: readonly BatchEntry[],
  limits: BatchLimits,
): Promise<ToolOutput> {
  await refuseDuplicates(context, entries);
  const segments: Segment[] = [];
  let used = 0;
  let continuation: readonly BatchEntry[] = [];
  for (const [index, entry] of entries.entries()) {
    const later = entries.slice(index + 1);
    const segment = await readEntry(context, entry, {
      limits,
      room: limits.maxBytes - used,
      later,
      isFirst: segments.length === 0,
      limitClamped: context.clamped.some((change) => change.path === `/files/${index}/limit`),
    });
    if (segment === undefined) {
      continuation = entries.slice(index);
      break;
    }
    segments.push(segment);
    used += Buffer.byteLength(segment.text) + 1;
    if (segment.rest !== null) {
      continuation = [segment.rest, ...later];
      break;
    }
  }
  if (segments.length === 0) throw tooSmall(limits.maxBytes);
  return summarise(segments, { entries, continuation, maxBytes: limits.maxBytes });
}

async function refuseDuplicates(
  context: ReadContext,
  entries: readonly BatchEntry[],
): Promise<void> {
  const seen = new Set<string>();
  for (const { path } of entries) {
    const real = await context.workspace.resolvePath(path).catch(() => path);
    if (seen.has(real)) {
      throw new ToolError(
        'invalid_argument',
        `files names ${JSON.stringify(path)} twice; ask for one window of it at a time.`,
        { reason: 'duplicate_path', fields: { path } },
      );
    }
    seen.add(real);
  }
}

interface EntryRoom {
  readonly limits: BatchLimits;
  /** Bytes left for this segment and the footer. */
  readonly room: number;
  readonly later: readonly BatchEntry[];
  readonly isFirst: boolean;
  readonly limitClamped: boolean;
}

/** One segment; `undefined` when nothing of the file fits any more. */
async function readEntry(
  context: ReadContext,
  entry: BatchEntry,
  room: EntryRoom,
): Promise<Segment | undefined> {
  const { path } = entry;
  try {
    return await withDocument(
      context,
      { path, limits: room.limits, lines: entry.limit ?? room.limits.defaultLimit },
      async (document) => {
        if (document.kind === 'text') return textSegment(document, entry, room);
        const { mediaType, width, height, bytes, sha256 } = document;
        const note = `[${mediaType} image, ${width} × ${height} pixels, ${bytes.length} bytes; read it alone to see it]\n`;
        return fixedSegment(room, {
          text: header(path) + note,
          result: { path, ok: true, file_path: document.path, sha256, media_type: mediaType },
          anchor: document.path,
          rest: null,
        });
      },
    );
  } catch (error) {
    if (!ToolError.isInstance(error) || context.signal.aborted) throw error;
    return fixedSegment(room, {
      text: `${header(path)}${error.type}: ${error.message}\n`,
      result: {
        path,
        ok: false,
        error: {
          type: error.type,
          ...(error.reason === undefined ? {} : { reason: error.reason }),
          message: error.message,
        },
      },
      error,
      rest: null,
    });
  }
}

/** A segment that fits whole or not at all. */
function fixedSegment(room: EntryRoom, segment: Segment): Segment | undefined {
  const needed = Buffer.byteLength(segment.text) + 1 + footerBytes(room.later);
  return needed <= room.room ? segment : undefined;
}

async function textSegment(
  text: OpenText,
  entry: BatchEntry,
  room: EntryRoom,
): Promise<Segment | undefined> {
  const head = header(entry.path);
  const free = room.room - Buffer.byteLength(head) - 1;
  const limit = entry.limit ?? room.limits.defaultLimit;
  const start = await startOf(text, { offset: entry.offset ?? 0, cursor: entry.cursor });
  // Room for the footer with this file in it, so that a single cut line leaves enough.
  const footer = footerBytes([
    { path: entry.path, cursor: toReadCursor(text, text.source.size), limit },
    ...room.later,
  ]);
  const window =
    free > footer
      ? await takeWindow(text, start, {
          maxLines: limit,
          maxBytes: free,
          ...(room.isFirst ? { cutAtBytes: free - footer } : {}),
        })
      : { rows: [], next: start };
  const rows = [...window.rows];
  let { next } = window;
  let used = rows.reduce((sum, row) => sum + row.bytes, 0);
  for (;;) {
    const rest = restOf(text, entry, { rows, next });
    const note = rows.length === 0 && next === null ? endNote(text) : '';
    const following = rest === null ? room.later : [rest, ...room.later];
    if (used + Buffer.byteLength(note) + footerBytes(following) <= free) {
      if (rows.length === 0 && next !== null) return undefined;
      return toSegment(text, entry, {
        head,
        note,
        rows,
        next,
        rest,
        offset: start.line,
        limitClamped: room.limitClamped,
      });
    }
    const last = rows.pop();
    if (last === undefined) return undefined;
    used -= last.bytes;
    next = last.start;
  }
}

function toSegment(
  text: OpenText,
  entry: BatchEntry,
  window: {
    readonly head: string;
    readonly note: string;
    readonly rows: readonly WindowRow[];
    readonly next: TextPosition | null;
    readonly rest: BatchEntry | null;
    readonly offset: number;
    readonly limitClamped: boolean;
  },
): Segment {
  const body = window.head + window.rows.map(renderRow).join('') + window.note;
  return {
    text: body,
    anchor: text.path,
    rest: window.rest,
    result: {
      path: entry.path,
      ok: true,
      ...textFacts(text),
      range: rangeFacts(text, {
        rows: window.rows,
        next: window.next,
        offset: window.offset,
        limitClamped: window.limitClamped,
        outputBytes: Buffer.byteLength(body),
      }),
    },
  };
}

/** How a file goes on: null when it has ended, or when its own limit has been served. */
function restOf(
  text: OpenText,
  entry: BatchEntry,
  window: { readonly rows: readonly WindowRow[]; readonly next: TextPosition | null },
): BatchEntry | null {
  const { rows, next } = window;
  if (next === null) return null;
  const whole = rows.filter((row) => !row.cut).length;
  const left = entry.limit === undefined ? undefined : entry.limit - whole;
  if (left !== undefined && left <= 0) return null;
  return {
    path: entry.path,
    ...(next.at === next.byte ? { offset: next.line } : { cursor: toReadCursor(text, next.at) }),
    ...(left === undefined ? {} : { limit: left }),
  };
}

function header(path: string): string {
  return `=== ${showName(path)} ===\n`;
}

function endNote(text: OpenText): string {
  return `[end of file: ${text.scan.totalLines} lines]\n`;
}

function footerOf(continuation: readonly BatchEntry[], total: number): string {
  if (continuation.length === 0) return `[complete: ${total} files]\n`;
  return `[partial; read on with files ${JSON.stringify(continuation)}]\n`;
}

function footerBytes(continuation: readonly BatchEntry[]): number {
  return Buffer.byteLength(footerOf(continuation, 32));
}

function summarise(
  segments: readonly Segment[],
  batch: {
    readonly entries: readonly BatchEntry[];
    readonly continuation: readonly BatchEntry[];
    readonly maxBytes: number;
  },
): ToolOutput {
  const { entries, continuation, maxBytes } = batch;
  const failed = segments.flatMap((segment) => segment.error ?? []);
  const output =
    segments.map((segment) => segment.text).join('\n') +
    `\n${footerOf(continuation, entries.length)}`;
  const status =
    failed.length > 0 ? 'partial_failure' : continuation.length > 0 ? 'partial' : 'complete';
  const metadata: JsonObject = {
    status,
    batch: {
      status,
      requested_files: entries.length,
      successful_files: segments.length - failed.length,
      failed_files: failed.length,
      truncated: continuation.length > 0,
      continuation: continuation.map((entry) => ({ ...entry })),
      results: segments.map((segment) => segment.result),
      max_output_bytes: maxBytes,
      output_bytes: Buffer.byteLength(output),
    },
    source_anchors: segments.flatMap((segment) => segment.anchor ?? []),
  };
  if (failed.length === segments.length && continuation.length === 0) {
    throw allFailed(failed, { output, metadata });
  }
  return { output, metadata };
}

/** One error for files that all failed: their common type, or `partial_failure` for several. */
function allFailed(
  errors: readonly ToolError[],
  result: { readonly output: string; readonly metadata: JsonObject },
): ToolError {
  const types = new Set<ToolErrorType>(errors.map((error) => error.type));
  const [only, ...others] = types;
  const type = only === undefined || others.length > 0 ? 'partial_failure' : only;
  return new ToolError(type, `None of the ${errors.length} files could be read.`, {
    fields: { failed: errors.length, total: errors.length },
    ...result,
  });
}

function tooSmall(maxBytes: number): ToolError {
  return new ToolError(
    'invalid_argument',
    `max_output_bytes of ${maxBytes} is too small for the first file and the list of what follows; raise it or name fewer files.`,
    { reason: 'budget_too_small' },
  );
}
