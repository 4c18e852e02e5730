import { credentialDenied, isCredentialPath, ToolError, type ToolOutput } from '@toolwright/core';
import { showName } from '../../display/show-name.ts';
import { pathsOf, type GitInput } from '../git-input.ts';
import { listPage } from '../page-of.ts';
import { groupFields, splitNul } from '../parse-records.ts';
import { assertMerged } from '../parse-status.ts';
import { assertKnownPaths } from '../known-paths.ts';
import { toPathspecs, toRepositoryPaths } from '../pathspecs.ts';
import { gitFailed, resolveRevision, runGit, tryGit, type GitContext } from '../run-git.ts';
import { readStatus } from './status.ts';

/** What a call of `git stash` asks for: a message or untracked files alone mean a new stash. */
export function stashCommand(input: GitInput): 'list' | 'push' | 'pop' | 'apply' | 'drop' {
  const { subcommand } = input;
  if (subcommand === undefined) {
    return input.message !== undefined || input.include_untracked === true ? 'push' : 'list';
  }
  if (subcommand === 'create') return 'push';
  if (subcommand === 'remove') return 'drop';
  return subcommand;
}

/** `git stash`: list, push, pop, apply, drop. */
export async function gitStash(input: GitInput, context: GitContext): Promise<ToolOutput> {
  const command = stashCommand(input);
  switch (command) {
    case 'list':
      return listStashes(input, context);
    case 'push':
      return pushStash(input, context);
    case 'pop':
    case 'apply':
    case 'drop':
      return useStash(command, input, context);
  }
}

async function listStashes(input: GitInput, context: GitContext): Promise<ToolOutput> {
  const output = await runGit(context.workspace.git, {
    args: ['stash', 'list', '-z', '--format=%gd%x00%H%x00%aI%x00%gs'],
    access: 'read',
    signal: context.signal,
  });
  const items = groupFields(splitNul(output), 4).map(
    ([name = '', commit = '', date = '', message = '']) => ({ name, commit, date, message }),
  );
  const line = ({ name, date, message }: (typeof items)[number]): string =>
    `${name} ${date} ${showName(message)}\n`;
  const page = listPage(
    { query: 'stash', items, line, keyOf: ({ commit }) => commit },
    input,
    context,
  );
  return { ...page, output: page.output === '' ? 'no stashes\n' : page.output };
}

async function pushStash(input: GitInput, context: GitContext): Promise<ToolOutput> {
  const paths = await toRepositoryPaths(pathsOf(input), context.workspace);
  const untracked = input.include_untracked === true;
  const { entries } = await readStatus(context, paths);
  const taken = entries.filter(({ index }) => untracked || index !== '?').map(({ path }) => path);
  const credential = taken.find(isCredentialPath);
  if (credential !== undefined) throw credentialDenied(credential);
  assertMerged(entries);
  if (taken.length === 0) {
    await assertKnownPaths(context, paths, []);
    throw new ToolError('invalid_argument', 'There are no local edits to stash.', {
      reason: 'nothing_to_stash',
    });
  }
  await runGit(context.workspace.git, {
    args: [
      'stash',
      'push',
      '--quiet',
      ...(untracked ? ['--include-untracked'] : []),
      ...(input.message === undefined ? [] : [`--message=${input.message}`]),
      '--',
      ...(paths.length === 0 ? [] : toPathspecs(paths)),
    ],
    access: 'write',
    signal: context.signal,
  });
  const commit = await resolveRevision(context, 'refs/stash');
  return {
    output: `Stashed ${taken.length} ${taken.length === 1 ? 'file' : 'files'} as stash@{0}.\n`,
    metadata: { stash: 'stash@{0}', commit, paths: taken.slice(0, 500) },
  };
}

async function useStash(
  command: 'pop' | 'apply' | 'drop',
  input: GitInput,
  context: GitContext,
): Promise<ToolOutput> {
  const stash = input.ref ?? 'stash@{0}';
  if (!/^(stash@\{\d{1,6}\}|\d{1,6})$/.test(stash)) {
    throw new ToolError(
      'invalid_argument',
      'ref of a stash looks like stash@{0}; list shows them.',
      {
        reason: 'bad_ref',
      },
    );
  }
  const name = /^\d+$/.test(stash) ? `stash@{${stash}}` : stash;
  const commit = await resolveRevision(context, name);
  if (command !== 'drop') await assertFits(context, commit);
  const { exitCode, stderr } = await tryGit(context.workspace.git, {
    args: ['stash', command, '--quiet', name],
    access: 'write',
    signal: context.signal,
  });
  if (exitCode !== 0) throw stashConflict(stderr);
  const done = { pop: 'Applied and dropped', apply: 'Applied', drop: 'Dropped' }[command];
  return { output: `${done} ${name}.\n`, metadata: { stash: name, commit } };
}

/**
 * Refuses a stash that would write credential files or paths with local edits, before git begins: it would
 * restore a part and then give up.
 */
async function assertFits(context: GitContext, commit: string): Promise<void> {
  const output = await runGit(context.workspace.git, {
    args: ['stash', 'show', '--include-untracked', '--name-only', '--no-renames', '-z', commit],
    access: 'read',
    signal: context.signal,
  });
  const touched = splitNul(output);
  const credential = touched.find(isCredentialPath);
  if (credential !== undefined) throw credentialDenied(credential);
  const { entries } = await readStatus(context, []);
  const edited = new Set(entries.map(({ path }) => path));
  if (touched.some((path) => edited.has(path))) throw stashConflict('');
}

function stashConflict(stderr: string): ToolError {
  if (!/conflict|would be overwritten|already exists/i.test(stderr)) {
    // git says nothing on a conflict when it is told to be quiet.
    if (stderr !== '') return gitFailed(stderr);
  }
  return new ToolError(
    'version_conflict',
    'The stash does not fit the working tree; it was kept. Look at git status for conflicts.',
    { reason: 'stash_conflict', detail: stderr },
  );
}
