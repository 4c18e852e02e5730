import {
  defineTool,
  paginatedRead,
  type Effect,
  type Tool,
  type ToolOutput,
} from '@toolwright/core';
import { gitAdd, gitCommit } from './git/commands/add-commit.ts';
import { gitBlame } from './git/commands/blame.ts';
import { gitBranch } from './git/commands/branch.ts';
import { gitCheckout } from './git/commands/checkout.ts';
import { gitLog } from './git/commands/log.ts';
import { gitRemote } from './git/commands/remote.ts';
import { gitDiff, gitShow } from './git/commands/show-diff.ts';
import { gitStash, stashCommand } from './git/commands/stash.ts';
import { gitStatus } from './git/commands/status.ts';
import { gitWorktree, worktreeCommand } from './git/commands/worktree.ts';
import { gitInputSchema, pathsOf, type GitInput } from './git/git-input.ts';
import { toRepositoryPaths } from './git/pathspecs.ts';
import type { GitContext } from './git/run-git.ts';

/** Milliseconds that a git command may run. */
export const GIT_TIMEOUT_MS = 30_000;

/** The `git` tool: the history and state of the workspace's repository, and local changes to it. */
export function gitTool(): Tool {
  return defineTool({
    name: 'git',
    title: 'Git',
    description:
      'Looks at and changes the git repository of the workspace: status, log, show, diff, blame, branches, checkout, stash, remotes, worktrees, add and commit. Nothing goes over the network and no hook runs; for fetch, push, merge and rebase use bash. Long lists come in pages (cursor), long diffs in windows (cursor or byte_offset) with a list of the files; narrow them by paths. checkout keeps local edits unless force is set. Credential files are left out.',
    keywords: [
      'version control',
      'history',
      'commit',
      'diff',
      'branch',
      'blame',
      'stash',
      'repository',
    ],
    input: gitInputSchema,
    examples: [
      { command: 'status' },
      { command: 'log', ref: 'main', paths: ['src'], limit: 20 },
      { command: 'diff', staged: true },
      { command: 'commit', message: 'Fix the parser' },
    ],
    requires: ['git'],
    timeoutMs: GIT_TIMEOUT_MS,
    capabilities: (input) =>
      writes(input) === null ? paginatedRead(8) : { outputKind: 'text', maxParallelism: 1 },
    effects: (input, { workspace }) => effectsOf(input, workspace),
    run: (input, context) => run(input, context),
  });
}

function run(input: GitInput, context: GitContext): Promise<ToolOutput> {
  switch (input.command) {
    case 'status':
      return gitStatus(input, context);
    case 'log':
      return gitLog(input, context);
    case 'show':
      return gitShow(input, context);
    case 'diff':
      return gitDiff(input, context);
    case 'branch':
      return gitBranch(input, context);
    case 'checkout':
      return gitCheckout(input, context);
    case 'stash':
      return gitStash(input, context);
    case 'remote':
      return gitRemote(input, context);
    case 'worktree':
      return gitWorktree(input, context);
    case 'add':
      return gitAdd(input, context);
    case 'commit':
      return gitCommit(input, context);
    case 'blame':
      return gitBlame(input, context);
  }
}

/** What a call changes: the repository alone, files as well, or nothing. */
function writes(input: GitInput): 'repository' | 'files' | null {
  switch (input.command) {
    case 'add':
    case 'commit':
      return 'repository';
    case 'branch':
      return input.name === undefined ? null : 'repository';
    case 'checkout':
      return 'files';
    case 'stash': {
      const command = stashCommand(input);
      if (command === 'list') return null;
      return command === 'drop' ? 'repository' : 'files';
    }
    case 'worktree':
      return worktreeCommand(input) === 'list' ? null : 'files';
    default:
      return null;
  }
}

async function effectsOf(
  input: GitInput,
  workspace: { resolvePath(path: string): Promise<string> },
): Promise<readonly Effect[]> {
  // Every command looks at the repository, which is found from the root.
  const effects: Effect[] = [{ kind: 'read', target: '' }];
  const what = writes(input);
  if (what === 'repository') effects.push({ kind: 'write', target: '.git/**' });
  if (what === 'files') effects.push({ kind: 'write', target: '**' });
  if (!['diff', 'show', 'blame', 'add'].includes(input.command)) return effects;
  const paths = await toRepositoryPaths(pathsOf(input), workspace);
  if (paths.length === 0) return [...effects, { kind: 'read', target: '**' }];
  const trees = paths.flatMap((path): Effect[] =>
    path === ''
      ? [{ kind: 'read', target: '**' }]
      : [
          { kind: 'read', target: path },
          { kind: 'read', target: `${path}/**` },
        ],
  );
  return [...effects, ...trees];
}
