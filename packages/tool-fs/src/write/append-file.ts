import { ToolError, versionConflict } from '@toolwright/core';
import { detectEncoding, loadCodec } from '@toolwright/documents';
import { loadFile, MAX_CHANGED_BYTES } from '../change/load-file.ts';
import type { ChangeContext, LoadedFile } from '../change/load-file.ts';

/** A file before and after a chunk was added at its end. */
export interface Appended {
  readonly file: LoadedFile;
  /** Bytes of the chunk, in the file's encoding. */
  readonly chunk: Uint8Array;
  /** The whole content; the file's own when the chunk had been added already. */
  readonly content: Uint8Array;
  readonly alreadyApplied: boolean;
}

/**
 * Adds text at the end of a file that is `expectedOffset` bytes long. A file that is longer by exactly this chunk, and
 * ends in it, was written by the same call before: nothing is added twice.
 *
 * @throws {ToolError} `version_conflict` for any other length; `not_found` where there is no file.
 */
export async function planAppend(
  context: ChangeContext,
  append: {
    readonly path: string;
    readonly text: string;
    readonly expectedOffset: number;
    readonly ifMatch: string | undefined;
  },
): Promise<Appended> {
  const { path, text, expectedOffset, ifMatch } = append;
  const file = await loadExisting(context, path);
  const codec = await loadCodec((await detectEncoding(file.bytes)).encoding);
  const chunk = codec.encode(text);
  const { length } = file.bytes;
  if (length === expectedOffset + chunk.length && chunk.length > 0) {
    const tail = file.bytes.subarray(expectedOffset);
    if (Buffer.compare(tail, chunk) === 0) {
      return { file, chunk, content: file.bytes, alreadyApplied: true };
    }
  }
  if (length !== expectedOffset) {
    throw new ToolError(
      'version_conflict',
      `${JSON.stringify(path)} has ${length} bytes, not ${expectedOffset}; look at its end and append with expected_offset ${length}.`,
      {
        reason: 'offset_mismatch',
        fields: { path, expected: String(expectedOffset), actual: String(length) },
      },
    );
  }
  if (ifMatch !== undefined && ifMatch !== file.sha256) {
    throw versionConflict(path, ifMatch, file.sha256);
  }
  if (length + chunk.length > MAX_CHANGED_BYTES) {
    throw new ToolError(
      'limit_exceeded',
      `${JSON.stringify(path)} would have more than ${MAX_CHANGED_BYTES} bytes.`,
      { reason: 'too_large', fields: { path } },
    );
  }
  return { file, chunk, content: Buffer.concat([file.bytes, chunk]), alreadyApplied: false };
}

async function loadExisting(context: ChangeContext, path: string): Promise<LoadedFile> {
  try {
    return await loadFile(context, path, undefined);
  } catch (error) {
    if (!ToolError.isInstance(error) || error.type !== 'not_found') throw error;
    throw new ToolError(
      'not_found',
      `${JSON.stringify(path)} does not exist; write it with mode overwrite first, then append.`,
      { fields: { path }, cause: error },
    );
  }
}
