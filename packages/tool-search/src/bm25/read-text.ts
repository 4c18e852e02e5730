import { sha256Hex, ToolError } from '@toolwright/core';
import { decodeDocument, isDocumentError } from '@toolwright/documents';
import type { SearchContext } from '../search/search-input.ts';

/** Bytes of a file that is ranked, at most. */
export const maxFileBytes = 512 * 1024;

/** A file's text, or why there is none. */
export type FileText =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly size: number;
      readonly token: string;
      readonly sha256: string;
    }
  | { readonly kind: 'oversized' | 'failed' | 'binary' };

/** Reads and decodes a file that is not too large. */
export async function readText(context: SearchContext, path: string): Promise<FileText> {
  try {
    const reader = await context.workspace.files.openRead(path, { signal: context.signal });
    try {
      const { size, token } = reader.stat;
      if (size > maxFileBytes) return { kind: 'oversized' };
      const bytes = await reader.read(0, maxFileBytes + 1, { signal: context.signal });
      const { text } = await decodeDocument(bytes);
      return { kind: 'text', text, size: bytes.length, token, sha256: sha256Hex(bytes) };
    } finally {
      await reader.close();
    }
  } catch (error) {
    if (context.signal.aborted) throw error;
    if (isDocumentError(error)) return { kind: error.code === 'binary' ? 'binary' : 'failed' };
    if (ToolError.isInstance(error)) return { kind: 'failed' };
    throw error;
  }
}
