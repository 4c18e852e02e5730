import { sha256Hex, ToolError, type FileReader, type ToolContext } from '@toolwright/core';
import { decodeDocument, isDocumentError, type TextDocument } from '@toolwright/documents';
import { MAX_CHANGED_BYTES } from '../change/load-file.ts';
import { toToolError } from '../document-failure.ts';
import { uneditedText } from './edited-text.ts';
import type { FileState } from './plan.ts';

/** Bytes of all files that one patch can touch. */
const MAX_PATCHED_BYTES = 268_435_456;

/** A file as it is before a patch. */
export interface LoadedFile {
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly executable: boolean;
  /** Permission bits, where the workspace keeps them. */
  readonly mode?: number;
  /** Its text; absent when it is none, and then `unreadable` says why. */
  readonly document?: TextDocument;
  readonly unreadable?: ToolError;
}

/**
 * Reads files whole; null stands for one that is not there.
 *
 * @param paths real workspace paths
 * @throws ToolError `limit_exceeded`/`too_large`, and what the workspace says (`credential`, `not_a_file` …)
 */
export async function loadFiles(
  context: ToolContext<'files.read'>,
  paths: readonly string[],
): Promise<ReadonlyMap<string, LoadedFile | null>> {
  const loaded = new Map<string, LoadedFile | null>();
  let left = MAX_PATCHED_BYTES;
  for (const path of paths) {
    const file = await loadFile(context, path, left);
    left -= file?.bytes.length ?? 0;
    loaded.set(path, file);
  }
  return loaded;
}

/** What the engine is to know of a file. A byte order mark stands before its text. */
export function toFileState(path: string, file: LoadedFile): FileState {
  const { document, unreadable, executable } = file;
  const text = document === undefined ? '' : (document.bom ? '\uFEFF' : '') + document.text;
  return {
    content: uneditedText(text),
    executable,
    origin: path,
    ...(unreadable === undefined ? {} : { unreadable }),
  };
}

async function loadFile(
  context: ToolContext<'files.read'>,
  path: string,
  left: number,
): Promise<LoadedFile | null> {
  const reader = await openIfThere(context, path);
  if (reader === null) return null;
  try {
    const { size, executable, mode } = reader.stat;
    if (size > Math.min(left, MAX_CHANGED_BYTES)) throw tooLarge(path, size);
    const bytes = await reader.read(0, size, { signal: context.signal });
    return {
      bytes,
      sha256: sha256Hex(bytes),
      executable,
      ...(mode === undefined ? {} : { mode }),
      ...(await decode(path, bytes)),
    };
  } finally {
    await reader.close();
  }
}

async function openIfThere(
  { workspace, signal }: ToolContext<'files.read'>,
  path: string,
): Promise<FileReader | null> {
  try {
    return await workspace.files.openRead(path, { signal });
  } catch (error) {
    if (ToolError.isInstance(error) && error.type === 'not_found') return null;
    throw error;
  }
}

async function decode(
  path: string,
  bytes: Uint8Array,
): Promise<Pick<LoadedFile, 'document' | 'unreadable'>> {
  try {
    return { document: await decodeDocument(bytes) };
  } catch (error) {
    const typed = isDocumentError(error) ? toToolError(error, path) : error;
    if (!ToolError.isInstance(typed)) throw error;
    return { unreadable: typed };
  }
}

function tooLarge(path: string, size: number): ToolError {
  return new ToolError(
    'limit_exceeded',
    `${JSON.stringify(path)} has ${size} bytes; one patch takes files of at most ${MAX_CHANGED_BYTES} bytes, and ${MAX_PATCHED_BYTES} in all.`,
    { reason: 'too_large', fields: { path } },
  );
}
