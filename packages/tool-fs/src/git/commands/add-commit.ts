import { ToolError, type ToolOutput } from '@toolwright/core';
import { showName } from '../../display/show-name.ts';
import { pathsOf, type GitInput } from '../git-input.ts';
import { groupFields, splitNul } from '../parse-records.ts';
import { assertMerged } from '../parse-status.ts';
import { toContentPathspecs, toRepositoryPaths } from '../pathspecs.ts';
import { findRevision, gitFailed, runGit, tryGit, type GitContext } from '../run-git.ts';
import { takeWithin } from '../take-within.ts';
import { readStatus } from './status.ts';

/** `git add`: paths that are named, `.` for all; credential files never. */
export async function gitAdd(input: GitInput, context: GitContext): Promise<ToolOutput> {
  const paths = await toRepositoryPaths(pathsOf(input), context.workspace);
  if (paths.length === 0) {
    throw new ToolError(
      'invalid_argument',
      'paths is required for add; name files, or "." for all.',
      {
        reason: 'no_paths',
      },
    );
  }
  const { exitCode, stderr } = await tryGit(context.workspace.git, {
    args: [
      'add',
      '--all',
      ...(input.force === true ? ['--force'] : []),
      '--',
      ...toContentPathspecs(paths),
    ],
    access: 'write',
    signal: context.signal,
  });
  if (exitCode !== 0) throw addFailed(stderr);
  const files = await stagedFiles(context);
  const { items, truncated } = takeWithin(files);
  const lines = items.map(({ status, path }) => `${status} ${showName(path)}\n`);
  return {
    output: files.length === 0 ? 'nothing is staged\n' : `staged now:\n${lines.join('')}`,
    metadata: { staged_count: files.length, staged: items, truncated },
  };
}

/** `git commit`: what is staged, or the named paths alone. Hooks and signing are off. */
export async function gitCommit(input: GitInput, context: GitContext): Promise<ToolOutput> {
  const message = input.message ?? '';
  if (message.trim() === '') {
    throw new ToolError(
      'invalid_argument',
      'message is required for commit; say what changes and why.',
      {
        reason: 'no_message',
      },
    );
  }
  const paths = await toRepositoryPaths(pathsOf(input), context.workspace);
  const only = paths.length === 0 ? [] : ['--only', '--', ...toContentPathspecs(paths)];
  const { exitCode, stderr, stdout } = await tryGit(context.workspace.git, {
    args: ['commit', '--quiet', '--no-gpg-sign', '--no-verify', '--file=-', ...only],
    access: 'write',
    input: Buffer.from(message, 'utf8'),
    signal: context.signal,
  });
  if (exitCode !== 0) throw await commitFailed(context, `${stderr}\n${stdout.toString('utf8')}`);
  return describeCommit(context);
}

async function describeCommit(context: GitContext): Promise<ToolOutput> {
  const output = await runGit(context.workspace.git, {
    args: [
      'log',
      '-1',
      '-z',
      '--no-show-signature',
      '--format=%H%x00%s%x00',
      '--name-status',
      '--no-renames',
      'HEAD',
      '--',
    ],
    access: 'read',
    signal: context.signal,
  });
  const [commit = '', subject = '', ...rest] = splitNul(output);
  const fields = rest.map((field) => field.replace(/^\n+/, '')).filter((field) => field !== '');
  const files = groupFields(fields, 2).map(([status = '', path = '']) => ({ status, path }));
  const { items, truncated } = takeWithin(files);
  const lines = items.map(({ status, path }) => `${status} ${showName(path)}\n`);
  return {
    output: `Committed ${commit.slice(0, 10)}: ${showName(subject)}\n${lines.join('')}`,
    metadata: { commit, subject, file_count: files.length, files: items, truncated },
  };
}

async function stagedFiles(
  context: GitContext,
): Promise<readonly { readonly status: string; readonly path: string }[]> {
  const head = await findRevision(context, 'HEAD');
  const args = ['diff', '--cached', '--name-status', '--no-renames', '-z', '--relative'];
  const output = await runGit(context.workspace.git, {
    args:
      head === null
        ? ['diff', '--cached', '--name-status', '--no-renames', '-z', '--']
        : [...args, 'HEAD', '--'],
    access: 'read',
    signal: context.signal,
  });
  return groupFields(splitNul(output), 2).map(([status = '', path = '']) => ({ status, path }));
}

function addFailed(stderr: string): ToolError {
  if (/ignored by one of your/.test(stderr)) {
    return new ToolError(
      'invalid_argument',
      'A path is ignored by git; pass force to add it all the same.',
      {
        reason: 'ignored',
        detail: stderr,
      },
    );
  }
  if (/did not match any files/.test(stderr)) return unmatched(stderr);
  return gitFailed(stderr);
}

function unmatched(stderr: string): ToolError {
  return new ToolError('not_found', 'A path matches no file; look at git status.', {
    detail: stderr,
  });
}

async function commitFailed(context: GitContext, said: string): Promise<ToolError> {
  if (/tell me who you are|empty ident|auto-detect email/i.test(said)) {
    return new ToolError(
      'invalid_argument',
      'git knows no author; a person has to set user.name and user.email.',
      { reason: 'no_identity' },
    );
  }
  if (/did not match any file/.test(said)) return unmatched(said.trim());
  if (/unmerged files|unresolved conflict/.test(said)) {
    assertMerged((await readStatus(context, [])).entries);
  }
  const staged = await stagedFiles(context).catch(() => []);
  if (staged.length === 0) {
    return new ToolError('invalid_argument', 'Nothing is staged; add paths first.', {
      reason: 'nothing_to_commit',
    });
  }
  return gitFailed(said.trim());
}
