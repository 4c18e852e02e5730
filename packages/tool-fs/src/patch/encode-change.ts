import { ToolError } from '@toolwright/core';
import {
  byteOrderMarkOf,
  loadCodec,
  type TextDocument,
  type TextSplice,
} from '@toolwright/documents';
import { toToolError } from '../document-failure.ts';
import { toSplices } from './edited-text.ts';
import type { LoadedFile } from './load-files.ts';
import type { FileState } from './plan.ts';

/**
 * The bytes of a planned file: those of the file it was made from wherever nothing was edited, new text in
 * that file's encoding. New files are UTF-8.
 *
 * @throws ToolError `invalid_argument`/`unencodable` for text that the encoding lacks, or that stands for
 *   bytes which are no text
 */
export async function encodeState(
  path: string,
  state: FileState,
  files: ReadonlyMap<string, LoadedFile | null>,
): Promise<Uint8Array> {
  const origin = state.origin === null ? null : (files.get(state.origin) ?? null);
  try {
    if (origin === null) return (await loadCodec('utf-8')).encode(state.content.text);
    const { document, bytes } = origin;
    if (document === undefined) return bytes;
    const mark = document.bom ? 1 : 0;
    const splices = toSplices(state.content, mark + document.text.length);
    if (splices.length === 0) return bytes;
    assertNoStandIns(path, document, splices);
    return document.bom ? spliceWithMark(document, splices) : document.splice(splices);
  } catch (error) {
    throw toToolError(error, path);
  }
}

/** U+FFFD shows where bytes are no text; written back, it would replace them. */
function assertNoStandIns(
  path: string,
  document: TextDocument,
  splices: readonly TextSplice[],
): void {
  if (!document.lossy || !splices.some(({ replacement }) => replacement.includes('\uFFFD'))) return;
  throw new ToolError(
    'invalid_argument',
    `${JSON.stringify(path)} has bytes that are no ${document.encoding} text, shown as U+FFFD; lines that hold them cannot be added. Leave those lines as context.`,
    { reason: 'unencodable', fields: { path } },
  );
}

/** Splices of a text whose first character is the mark; the document's own text begins after it. */
function spliceWithMark(document: TextDocument, splices: readonly TextSplice[]): Uint8Array {
  const [first] = splices;
  const moved = splices.map(({ start, end, replacement }) => ({
    start: Math.max(0, start - 1),
    end: Math.max(0, end - 1),
    replacement: end === 0 ? `${replacement}\uFEFF` : replacement,
  }));
  const bytes = document.splice(moved);
  return first?.start === 0 ? bytes.subarray(byteOrderMarkOf(document.encoding).length) : bytes;
}
