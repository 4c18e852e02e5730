import {
  credentialDenied,
  isCredentialPath,
  sha256Hex,
  ToolError,
  type ToolOutput,
} from '@toolwright/core';
import { showName } from '../../display/show-name.ts';
import { checkBranchName, checkRevision } from '../check-revision.ts';
import { pathsOf, type GitInput } from '../git-input.ts';
import { listPage } from '../page-of.ts';
import { splitNul } from '../parse-records.ts';
import { toRepositoryPaths } from '../pathspecs.ts';
import {
  alreadyExists,
  findRevision,
  gitFailed,
  resolveRevision,
  runGit,
  tryGit,
  type GitContext,
} from '../run-git.ts';

/** What a call of `git worktree` asks for. */
export function worktreeCommand(input: GitInput): 'list' | 'create' | 'remove' {
  const { subcommand = 'list' } = input;
  if (subcommand === 'list' || subcommand === 'create' || subcommand === 'remove')
    return subcommand;
  throw new ToolError('invalid_argument', 'subcommand of worktree is list, create or remove.');
}

/** `git worktree`: list, create, remove; only inside the workspace. */
export async function gitWorktree(input: GitInput, context: GitContext): Promise<ToolOutput> {
  switch (worktreeCommand(input)) {
    case 'list':
      return listWorktrees(input, context);
    case 'create':
      return createWorktree(input, context);
    case 'remove':
      return removeWorktree(input, context);
  }
}

interface Worktree {
  readonly path: string;
  readonly inside: boolean;
  readonly commit: string | null;
  readonly branch: string | null;
  readonly detached: boolean;
  readonly bare: boolean;
  readonly [key: string]: string | boolean | null;
}

async function listWorktrees(input: GitInput, context: GitContext): Promise<ToolOutput> {
  const output = await runGit(context.workspace.git, {
    args: ['worktree', 'list', '--porcelain', '-z'],
    access: 'read',
    signal: context.signal,
  });
  const items: Worktree[] = [];
  const keys = new Map<Worktree, string>();
  for (const record of output.toString('utf8').split('\0\0')) {
    const facts = new Map(
      record
        .split('\0')
        .filter((field) => field !== '')
        .map((field): [string, string] => {
          const space = field.indexOf(' ');
          return space < 0 ? [field, ''] : [field.slice(0, space), field.slice(space + 1)];
        }),
    );
    const absolute = facts.get('worktree');
    if (absolute === undefined) continue;
    const worktree = await describe(absolute, facts, context);
    items.push(worktree);
    // Where it is may not be told, not even in a cursor.
    keys.set(worktree, sha256Hex(absolute));
  }
  const line = ({ path, commit, branch, bare }: Worktree): string =>
    `${showName(path === '' ? '.' : path)} ${commit?.slice(0, 10) ?? '-'} ${bare ? 'bare' : branch === null ? 'detached' : showName(branch)}\n`;
  const keyOf = (item: Worktree): string => keys.get(item) ?? item.path;
  return listPage({ query: 'worktree', items, line, keyOf }, input, context);
}

async function describe(
  absolute: string,
  facts: ReadonlyMap<string, string>,
  context: GitContext,
): Promise<Worktree> {
  const inside = await context.workspace.resolvePath(absolute).catch(() => null);
  return {
    // Where it is outside of the workspace is nobody's business here.
    path: inside ?? absolute.slice(absolute.lastIndexOf('/') + 1),
    inside: inside !== null,
    commit: facts.get('HEAD') ?? null,
    branch: facts.get('branch')?.replace(/^refs\/heads\//, '') ?? null,
    detached: facts.has('detached'),
    bare: facts.has('bare'),
  };
}

async function createWorktree(input: GitInput, context: GitContext): Promise<ToolOutput> {
  if (input.name === undefined) {
    throw new ToolError(
      'invalid_argument',
      'name is required to create a worktree: the branch it is for.',
    );
  }
  const fresh = input.new_branch !== false;
  const name = checkBranchName(input.name, 'name');
  const existing = await findRevision(context, `refs/heads/${name}`);
  if (fresh && existing !== null) throw alreadyExists(`A branch ${JSON.stringify(name)}`);
  const commit = fresh
    ? await resolveRevision(context, checkRevision(input.base ?? 'HEAD', 'base'))
    : await resolveRevision(context, `refs/heads/${name}`);
  await assertNoCredentials(context, commit);
  const path = await placeOf(input, name, context);
  const branch = fresh ? ['--no-track', '-b', name, '--', path, commit] : ['--', path, name];
  await runGit(context.workspace.git, {
    args: ['worktree', 'add', '--quiet', ...branch],
    access: 'write',
    signal: context.signal,
  });
  return {
    output: `Made worktree ${showName(path)} on ${showName(name)}.\n`,
    metadata: { path, branch: name, commit },
  };
}

/** The path of a new worktree, real and inside; `.worktrees/<branch>` when nothing is said. */
async function placeOf(input: GitInput, name: string, context: GitContext): Promise<string> {
  const path = await context.workspace.resolvePath(input.path ?? `.worktrees/${name}`);
  if (path === '') throw alreadyExists('The root of the workspace');
  return path;
}

async function removeWorktree(input: GitInput, context: GitContext): Promise<ToolOutput> {
  const [path] = await toRepositoryPaths(pathsOf(input), context.workspace);
  if (path === undefined || path === '') {
    throw new ToolError(
      'invalid_argument',
      'path is required to remove a worktree; list shows them.',
    );
  }
  const { exitCode, stderr } = await tryGit(context.workspace.git, {
    args: ['worktree', 'remove', ...(input.force === true ? ['--force'] : []), '--', path],
    access: 'write',
    signal: context.signal,
  });
  if (exitCode !== 0) {
    if (/is not a working tree/.test(stderr)) {
      throw new ToolError('not_found', `${JSON.stringify(path)} is no worktree; list shows them.`, {
        fields: { path },
      });
    }
    if (!/modified or untracked/.test(stderr)) throw gitFailed(stderr);
    throw new ToolError(
      'version_conflict',
      'The worktree has changes; commit them, or pass force to lose them.',
      {
        reason: 'local_edits',
        detail: stderr,
      },
    );
  }
  return { output: `Removed worktree ${showName(path)}.\n`, metadata: { path } };
}

async function assertNoCredentials(context: GitContext, commit: string): Promise<void> {
  const output = await runGit(context.workspace.git, {
    args: ['ls-tree', '-r', '--name-only', '-z', '--full-tree', commit],
    access: 'read',
    signal: context.signal,
  });
  const found = splitNul(output).find(isCredentialPath);
  if (found !== undefined) throw credentialDenied(found);
}
