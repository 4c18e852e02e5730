import { isArtifactUri, sha256Hex, ToolError, versionConflict } from '@toolwright/core';
import type { ToolContext } from '@toolwright/core';

/** The context that changing a file needs. */
export type ChangeContext = ToolContext<'files.read' | 'files.write'>;

/** Largest file that is changed, in bytes: it is held in memory before and after. */
export const MAX_CHANGED_BYTES = 67_108_864;

/** A file's bytes as they were found. */
export interface LoadedFile {
  /** Real workspace path. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

/**
 * Reads a whole file that is to be changed.
 *
 * @throws {ToolError} What the workspace says; `invalid_argument` (`not_a_file`) for a kept output; `limit_exceeded` over
 * 64 MiB; `version_conflict` against `ifMatch`.
 */
export async function loadFile(
  context: ChangeContext,
  path: string,
  ifMatch: string | undefined,
): Promise<LoadedFile> {
  if (isArtifactUri(path)) {
    throw new ToolError(
      'invalid_argument',
      `${JSON.stringify(path)} is a kept output, which can be read but not changed; name a file.`,
      { reason: 'not_a_file', fields: { path } },
    );
  }
  const reader = await context.workspace.files.openRead(path, { signal: context.signal });
  try {
    const { size } = reader.stat;
    if (size > MAX_CHANGED_BYTES) {
      throw new ToolError(
        'limit_exceeded',
        `${JSON.stringify(path)} has ${size} bytes; at most ${MAX_CHANGED_BYTES} can be changed by a tool.`,
        { reason: 'too_large', fields: { path } },
      );
    }
    const bytes = await reader.read(0, size, { signal: context.signal });
    const sha256 = sha256Hex(bytes);
    if (ifMatch !== undefined && ifMatch !== sha256) throw versionConflict(path, ifMatch, sha256);
    return { path: reader.stat.path, bytes, sha256 };
  } finally {
    await reader.close();
  }
}

/** As `loadFile`, but `undefined` where nothing is. */
export async function loadFileIfAny(
  context: ChangeContext,
  path: string,
): Promise<LoadedFile | undefined> {
  try {
    return await loadFile(context, path, undefined);
  } catch (error) {
    if (ToolError.isInstance(error) && error.type === 'not_found') return undefined;
    throw error;
  }
}
