import { ToolError } from '@toolwright/core';
import type { JsonObject, JsonValue, HelperSession, ToolResult } from '@toolwright/core';

/** Windows that are put together at most: about 12 MB of text. */
const MAX_WINDOWS = 128;
const WINDOW_BYTES = 98_304;

/**
 * The whole text of a file, by as many calls of `read` as it takes; line endings as in the file.
 *
 * @throws {ToolError} That of the first call that failed; `limit_exceeded` after 128 windows.
 */
export async function readWholeFile(session: HelperSession, path: string): Promise<string> {
  const parts: string[] = [];
  let cursor: string | undefined;
  for (let windows = 0; windows < MAX_WINDOWS; windows += 1) {
    const args = {
      file_path: path,
      max_output_bytes: WINDOW_BYTES,
      ...(cursor === undefined ? {} : { cursor }),
    };
    const result = await session.tool('read', args);
    if (result.error !== null) throw toError(result);
    parts.push(textOf(result));
    const next = at(result.metadata['range'], 'next_cursor');
    if (typeof next !== 'string') return parts.join('');
    cursor = next;
  }
  throw new ToolError(
    'limit_exceeded',
    `${JSON.stringify(path)} is too large to be read as one string; read it in windows.`,
    { reason: 'too_large' },
  );
}

/** Takes numbers and hints off the rows, and puts the file's line endings back. */
function textOf({ output, metadata }: ToolResult): string {
  const { range, eol, final_newline: finalNewline } = metadata;
  const crlfLines = new Set(listAt(range, 'crlf_lines'));
  const cutLines = new Set(listAt(range, 'cut_lines'));
  const rows = output.split('\n').flatMap((row) => {
    const tab = row.indexOf('\t');
    const number = row.slice(0, Math.max(0, tab));
    return /^ *\d+$/.test(number) ? [{ line: Number(number), text: row.slice(tab + 1) }] : [];
  });
  const endsText = at(range, 'eof') === true && finalNewline !== true;
  return rows
    .map(({ line, text }, index) => {
      const isLastRow = index === rows.length - 1;
      if (isLastRow && (cutLines.has(line) || endsText)) return text;
      return text + (eol === 'crlf' || crlfLines.has(line) ? '\r\n' : '\n');
    })
    .join('');
}

function at(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return isObject(value) ? value[key] : undefined;
}

function listAt(value: JsonValue | undefined, key: string): readonly JsonValue[] {
  const list = at(value, key);
  return typeof list === 'object' && list !== null && !isObject(list) ? list : [];
}

function isObject(value: JsonObject | readonly JsonValue[]): value is JsonObject {
  return !Array.isArray(value);
}

function toError({ error }: ToolResult): ToolError {
  const { type = 'internal', message = 'read failed', reason, retryable } = error ?? {};
  return new ToolError(type, message, {
    ...(reason === undefined ? {} : { reason }),
    ...(retryable === undefined ? {} : { retryable }),
  });
}
