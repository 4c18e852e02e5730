import { pathNotFound } from '@toolwright/core';
import { splitNul } from './parse-records.ts';
import { toPathspecs } from './pathspecs.ts';
import { tryGit, type GitContext } from './run-git.ts';

/**
 * Refuses paths that stand neither in the working tree nor in the index, `HEAD` or one of the revisions: an answer that
 * there is nothing to tell of them would hide a wrong name. Paths are those that `toRepositoryPaths` gives. Errors:
 * `not_found`.
 */
export async function assertKnownPaths(
  context: GitContext,
  paths: readonly string[],
  revisions: readonly string[],
): Promise<void> {
  for (const path of paths) {
    if (path === '' || (await isInWorkingTree(context, path))) continue;
    if (!(await isInRevision(context, path, ['HEAD', ...revisions]))) throw pathNotFound(path);
  }
}

async function isInWorkingTree(context: GitContext, path: string): Promise<boolean> {
  const listing = ['ls-files', '-z', '--cached', '--others', '--directory'];
  const { stdout } = await tryGit(context.workspace.git, {
    args: [...listing, '--', ...toPathspecs([path])],
    access: 'read',
    signal: context.signal,
  });
  return splitNul(stdout).length > 0;
}

async function isInRevision(
  context: GitContext,
  path: string,
  revisions: readonly string[],
): Promise<boolean> {
  for (const end of revisions.flatMap((revision) => revision.split(/\.{2,3}/))) {
    if (end === '') continue;
    const { exitCode, stdout } = await tryGit(context.workspace.git, {
      args: [
        'ls-tree',
        '-z',
        '--name-only',
        '--end-of-options',
        end.replace(/^\^/, ''),
        '--',
        path,
      ],
      access: 'read',
      signal: context.signal,
    });
    // A revision that is none, such as HEAD before the first commit, holds no path.
    if (exitCode === 0 && splitNul(stdout).length > 0) return true;
  }
  return false;
}
