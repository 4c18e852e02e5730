import type { ToolOutput } from '@toolwright/core';
import { showName } from '../../display/show-name.ts';
import { checkBranchName, checkRevision } from '../check-revision.ts';
import type { GitInput } from '../git-input.ts';
import { listPage } from '../page-of.ts';
import { groupFields, splitNul } from '../parse-records.ts';
import {
  alreadyExists,
  findRevision,
  resolveRevision,
  runGit,
  type GitContext,
} from '../run-git.ts';

/** `git branch`: the local branches, or a new one. */
export async function gitBranch(input: GitInput, context: GitContext): Promise<ToolOutput> {
  return input.name === undefined ? listBranches(input, context) : createBranch(input, context);
}

async function listBranches(input: GitInput, context: GitContext): Promise<ToolOutput> {
  const fields = [
    '%(refname)',
    '%(objectname)',
    '%(HEAD)',
    '%(upstream:short)',
    '%(contents:subject)',
  ];
  const output = await runGit(context.workspace.git, {
    args: ['for-each-ref', `--format=${fields.join('%00')}%00`, 'refs/heads/'],
    access: 'read',
    signal: context.signal,
  });
  // Each record ends in a line feed of for-each-ref's own.
  const records = groupFields(splitNul(output), 5);
  const branches = records.map(
    ([name = '', commit = '', head = '', upstream = '', subject = '']) => ({
      name: name.replace(/^\n?refs\/heads\//, ''),
      commit,
      current: head === '*',
      upstream: upstream === '' ? null : upstream,
      subject,
    }),
  );
  const page = listPage(
    {
      query: 'branch',
      items: branches,
      keyOf: ({ name }) => name,
      isSorted: true,
      line: ({ name, commit, current, subject }) =>
        `${current ? '*' : ' '} ${showName(name)} ${commit.slice(0, 10)} ${showName(subject)}\n`,
    },
    input,
    context,
  );
  return { ...page, output: page.output === '' ? 'no branches\n' : page.output };
}

async function createBranch(input: GitInput, context: GitContext): Promise<ToolOutput> {
  const name = checkBranchName(input.name ?? '', 'name');
  const base = checkRevision(input.base ?? 'HEAD', 'base');
  await makeBranch(context, name, await resolveRevision(context, base));
  return {
    output: `Made branch ${showName(name)} at ${base}.\n`,
    metadata: { branch: name, base, commit: await resolveRevision(context, `refs/heads/${name}`) },
  };
}

/** Makes a branch at a commit. Errors: `invalid_argument` (`already_exists`). */
export async function makeBranch(context: GitContext, name: string, commit: string): Promise<void> {
  if ((await findRevision(context, `refs/heads/${name}`)) !== null) {
    throw alreadyExists(`A branch ${JSON.stringify(name)}`);
  }
  await runGit(context.workspace.git, {
    args: ['branch', '--no-track', name, commit],
    access: 'write',
    signal: context.signal,
  });
}
