import { baseName, parentPath, ToolError, type PathFolding } from '@toolwright/core';
import { touchedPaths, type FilePatch } from './file-patch.ts';

/** What is needed of a workspace to know which file a path names. */
export interface PathResolver {
  readonly folding: PathFolding;
  resolvePath(path: string): Promise<string>;
}

/**
 * The patches with the real workspace paths in place of the diff's own, so that two names of one file are
 * known as one. A link is followed where its file is changed; it is not deleted or renamed in its place.
 *
 * @throws ToolError `unsupported`/`symlink`; what the workspace says of a path (`outside_workspace` …)
 */
export async function realPatches(
  patches: readonly FilePatch[],
  workspace: PathResolver,
): Promise<readonly FilePatch[]> {
  const reals = new Map<string, string>();
  for (const path of touchedPaths(patches)) reals.set(path, await workspace.resolvePath(path));
  const real = (path: string): string => reals.get(path) ?? path;
  for (const patch of patches) {
    if (patch.action === 'delete') await assertNoLink(patch.path, real(patch.path), workspace);
    if (patch.action === 'rename') await assertNoLink(patch.from, real(patch.from), workspace);
  }
  return patches.map((patch) =>
    patch.action === 'rename' || patch.action === 'copy'
      ? { ...patch, path: real(patch.path), from: real(patch.from) }
      : { ...patch, path: real(patch.path) },
  );
}

async function assertNoLink(path: string, real: string, workspace: PathResolver): Promise<void> {
  const name = baseName(path);
  const parent = await workspace.resolvePath(parentPath(path) || '.');
  const direct = parent === '' ? name : `${parent}/${name}`;
  if (name === '' || name === '.' || name === '..' || isSame(direct, real, workspace.folding))
    return;
  throw new ToolError(
    'unsupported',
    `${JSON.stringify(path)} is a symbolic link; patch deletes and renames files, not links. Name ${JSON.stringify(real)} itself.`,
    { reason: 'symlink', fields: { path } },
  );
}

function isSame(a: string, b: string, folding: PathFolding): boolean {
  const fold = (path: string): string => {
    const composed = folding.unicodeInsensitive ? path.normalize('NFC') : path;
    return folding.caseInsensitive ? composed.toLowerCase() : composed;
  };
  return fold(a) === fold(b);
}
