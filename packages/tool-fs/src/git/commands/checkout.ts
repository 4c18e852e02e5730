import { credentialDenied, isCredentialPath, ToolError, type ToolOutput } from '@toolwright/core';
import { showName } from '../../display/show-name.ts';
import { checkBranchName, checkRevision, isBranchName } from '../check-revision.ts';
import { pathsOf, type GitInput } from '../git-input.ts';
import { splitNul } from '../parse-records.ts';
import { toPathspecs, toRepositoryPaths } from '../pathspecs.ts';
import {
  findRevision,
  gitFailed,
  resolveRevision,
  runGit,
  tryGit,
  type GitContext,
} from '../run-git.ts';
import { makeBranch } from './branch.ts';
import { readStatus } from './status.ts';

/**
 * `git checkout`: a branch, a commit (detached), a new branch, or files of a revision. The revision is resolved
 * first, so that it is never taken for a path, and local edits are kept unless `force` says otherwise.
 */
export async function gitCheckout(input: GitInput, context: GitContext): Promise<ToolOutput> {
  const paths = await toRepositoryPaths(pathsOf(input), context.workspace);
  if (paths.length > 0) return restoreFiles(input, paths, context);
  const wanted = input.ref ?? input.name;
  if (wanted === undefined) {
    throw new ToolError(
      'invalid_argument',
      'ref is required for checkout; name a branch, tag or commit.',
    );
  }
  if (input.new_branch === true) {
    const name = checkBranchName(wanted, input.ref === undefined ? 'name' : 'ref');
    const base = await resolveRevision(context, checkRevision(input.base ?? 'HEAD', 'base'));
    await assertSwitchable(context, base);
    await makeBranch(context, name, base);
    return switchTo(input, { name, commit: base }, context);
  }
  const ref = checkRevision(wanted, 'ref');
  const branch = isBranchName(ref) ? await findRevision(context, `refs/heads/${ref}`) : null;
  const commit = branch ?? (await resolveRevision(context, ref));
  await assertSwitchable(context, commit);
  return switchTo(input, { name: branch === null ? null : ref, commit }, context);
}

async function switchTo(
  input: GitInput,
  to: { readonly name: string | null; readonly commit: string },
  context: GitContext,
): Promise<ToolOutput> {
  const what = to.name === null ? ['--detach', to.commit] : [to.name];
  const force = input.force === true ? ['--force'] : [];
  const { exitCode, stderr } = await tryGit(context.workspace.git, {
    args: ['checkout', '--quiet', '--no-guess', '--no-overwrite-ignore', ...force, ...what, '--'],
    access: 'write',
    signal: context.signal,
  });
  if (exitCode !== 0) throw localEdits(stderr);
  const where =
    to.name === null ? `detached at ${to.commit.slice(0, 10)}` : `on ${showName(to.name)}`;
  return {
    output: `Now ${where}.\n`,
    metadata: { branch: to.name, commit: to.commit, detached: to.name === null },
  };
}

async function restoreFiles(
  input: GitInput,
  paths: readonly string[],
  context: GitContext,
): Promise<ToolOutput> {
  const commit = await resolveRevision(context, checkRevision(input.ref ?? 'HEAD', 'ref'));
  if (input.force !== true) {
    const { entries } = await readStatus(context, paths);
    const edited = entries.filter(({ index }) => index !== '?').map(({ path }) => path);
    if (edited.length > 0) {
      throw new ToolError(
        'version_conflict',
        `These files have local edits: ${edited.slice(0, 10).map(showName).join(', ')}; commit or stash them, or pass force to throw the edits away.`,
        { reason: 'local_edits' },
      );
    }
  }
  const specs = toPathspecs(paths);
  await assertNoCredentials(context, ['--relative', commit, '--', ...specs]);
  const { exitCode, stderr } = await tryGit(context.workspace.git, {
    args: ['checkout', '--quiet', commit, '--', ...specs],
    access: 'write',
    signal: context.signal,
  });
  if (exitCode !== 0) throw restoreFailed(stderr, commit);
  return {
    output: `Restored ${paths.map(showName).join(', ')} from ${commit.slice(0, 10)}.\n`,
    metadata: { commit, paths },
  };
}

function restoreFailed(stderr: string, commit: string): ToolError {
  if (!/did not match any file/.test(stderr)) return gitFailed(stderr);
  return new ToolError('not_found', `A path is not in ${commit.slice(0, 10)}.`, { detail: stderr });
}

/** Refuses a switch as a whole when it would write or remove a credential file. */
async function assertSwitchable(context: GitContext, commit: string): Promise<void> {
  if ((await findRevision(context, 'HEAD')) === null) return;
  await assertNoCredentials(context, ['HEAD', commit, '--']);
}

/** Refuses what would write or remove a credential file, by what differs. */
async function assertNoCredentials(
  context: GitContext,
  compared: readonly string[],
): Promise<void> {
  const output = await runGit(context.workspace.git, {
    args: ['diff', '--name-only', '--no-renames', '-z', ...compared],
    access: 'read',
    signal: context.signal,
  });
  const touched = splitNul(output).find(isCredentialPath);
  if (touched !== undefined) throw credentialDenied(touched);
}

function localEdits(stderr: string): ToolError {
  if (!/would be overwritten|needs merge|resolve your current index/.test(stderr))
    return gitFailed(stderr);
  return new ToolError(
    'version_conflict',
    'Local edits are in the way; commit or stash them, or pass force to throw them away.',
    { reason: 'local_edits', detail: stderr },
  );
}
