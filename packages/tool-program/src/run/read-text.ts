import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '@toolwright/core';

const numberedRow = /^ *(\d+)\t(.*)$/s;

/**
 * The text of a `read` without its line numbers and hints, with the line endings of the file. Only what looks like a
 * numbered row is text: a file's own line that looks like a hint has its number before it.
 */
export function toReadText(output: string, metadata: JsonObject): string {
  const { range = null, eol, final_newline: finalNewline } = metadata;
  const crlfLines = new Set(listAt(range, 'crlf_lines'));
  const cutLines = new Set(listAt(range, 'cut_lines'));
  const endsWithoutNewline = isJsonObject(range) && range['eof'] === true && finalNewline !== true;
  const rows = output
    .split('\n')
    .map((row) => numberedRow.exec(row))
    .filter((row) => row !== null);
  return rows
    .map(([, number, text = ''], index) => {
      const line = Number(number);
      const isOpen = index === rows.length - 1 && (cutLines.has(line) || endsWithoutNewline);
      if (isOpen) return text;
      return text + (eol === 'crlf' || crlfLines.has(line) ? '\r\n' : '\n');
    })
    .join('');
}

function listAt(range: JsonValue, key: string): readonly JsonValue[] {
  const list = isJsonObject(range) ? range[key] : undefined;
  return list !== undefined && isJsonArray(list) ? list : [];
}
