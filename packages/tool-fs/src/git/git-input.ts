import type { InferSchema } from '@toolwright/core';

/** Entries of a page when nothing is said; branches, stashes and the like take 50. */
export const DEFAULT_LOG_LIMIT = 10;
export const DEFAULT_LIST_LIMIT = 50;
/** Bytes of a window when nothing is said. */
export const DEFAULT_WINDOW_BYTES = 65_536;

/** The commands of the `git` tool. */
export const gitCommands = [
  'status',
  'log',
  'show',
  'diff',
  'branch',
  'checkout',
  'stash',
  'remote',
  'worktree',
  'add',
  'commit',
  'blame',
] as const;

/** The input of the `git` tool. */
export const gitInputSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['command'],
  properties: {
    command: { type: 'string', enum: gitCommands, description: 'What to do.' },
    subcommand: {
      type: 'string',
      enum: ['list', 'create', 'remove', 'push', 'pop', 'apply', 'drop'],
      description:
        'worktree: list (default), create, remove. stash: list (default), push, pop, apply, drop.',
    },
    name: {
      type: 'string',
      minLength: 1,
      description:
        'branch: the branch to make. worktree create: its branch. checkout with new_branch: the branch to make.',
    },
    path: { type: 'string', minLength: 1, description: 'One path; with paths, one more of them.' },
    paths: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      minItems: 1,
      maxItems: 1_000,
      description:
        'Paths relative to the workspace root, taken literally. add: required; elsewhere they narrow the command.',
    },
    ref: {
      type: 'string',
      minLength: 1,
      description:
        'A branch, tag, commit or range (main..dev): what to log, show, blame or check out; stash: stash@{n}.',
    },
    target: {
      type: 'string',
      minLength: 1,
      description: 'diff: compare the working tree with this revision.',
    },
    base: {
      type: 'string',
      minLength: 1,
      description:
        'diff: compare base with target. branch, worktree and new branches: where they begin. Default HEAD.',
    },
    staged: {
      type: 'boolean',
      description: 'diff: what is staged instead of the working tree. Default false.',
    },
    force: {
      type: 'boolean',
      description:
        'checkout: throw local edits away. worktree remove: even with changes. add: even what is ignored. Default false.',
    },
    message: { type: 'string', description: 'commit: required. stash push: a note.' },
    include_untracked: {
      type: 'boolean',
      description: 'stash push: new files too. Default false.',
    },
    new_branch: {
      type: 'boolean',
      description:
        'checkout: make the branch name (or ref) first; default false. worktree create: make the branch; default true.',
    },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 200,
      'x-clamp': true,
      description: 'Entries of a page. Default 10 for log, 200 lines for blame, 50 elsewhere.',
    },
    cursor: {
      type: 'string',
      minLength: 1,
      description: 'next_cursor of the page or window before, with the same arguments.',
    },
    byte_offset: {
      type: 'integer',
      minimum: 0,
      description: 'show, diff: where the window begins. Default 0.',
    },
    max_bytes: {
      type: 'integer',
      minimum: 256,
      maximum: 98_304,
      'x-clamp': true,
      description: 'show, diff: bytes of the answer. Default 65,536.',
    },
  },
} as const;

/** What the kernel has validated. */
export type GitInput = InferSchema<typeof gitInputSchema>;

/** All paths of a call, in order. */
export function pathsOf(input: GitInput): readonly string[] {
  return [...(input.path === undefined ? [] : [input.path]), ...(input.paths ?? [])];
}
