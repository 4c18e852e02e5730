import type { ToolOutput } from '@toolwright/core';
import { showName } from '../../display/show-name.ts';
import { pathsOf, type GitInput } from '../git-input.ts';
import { assertKnownPaths } from '../known-paths.ts';
import { locateRepository, toWorkspacePath } from '../locate.ts';
import { splitNul } from '../parse-records.ts';
import { parseStatus, type Status, type StatusEntry } from '../parse-status.ts';
import { toPathspecs, toRepositoryPaths } from '../pathspecs.ts';
import { runGit, type GitContext } from '../run-git.ts';
import { takeWithin } from '../take-within.ts';

/** `git status`: branch, commit and every changed or untracked path. */
export async function gitStatus(input: GitInput, context: GitContext): Promise<ToolOutput> {
  const place = await locateRepository(context);
  const paths = await toRepositoryPaths(pathsOf(input), context.workspace);
  const status = await readStatus(context, paths);
  if (status.entries.length === 0) await assertKnownPaths(context, paths, []);
  const entries = status.entries.map((entry) => ({
    ...entry,
    path: toWorkspacePath(entry.path, place),
    ...(entry.original_path === undefined
      ? {}
      : { original_path: toWorkspacePath(entry.original_path, place) }),
  }));
  const shown = takeWithin(entries);
  const { branch, commit, upstream } = status;
  return {
    output: render({ ...status, entries: shown.items }, entries.length),
    metadata: {
      branch,
      commit,
      upstream,
      detached: branch === null,
      is_worktree: place.linked,
      dirty_count: entries.length,
      is_dirty: entries.length > 0,
      entries: shown.items.map((entry) => ({ ...entry })),
      truncated: shown.truncated,
    },
  };
}

/** The state of the working tree; paths are those of the repository. */
export async function readStatus(context: GitContext, paths: readonly string[]): Promise<Status> {
  const output = await runGit(context.workspace.git, {
    args: [
      'status',
      '--porcelain=v2',
      '--branch',
      '-z',
      '--untracked-files=all',
      '--find-renames',
      '--no-ahead-behind',
      '--',
      ...toPathspecs(paths),
    ],
    access: 'read',
    signal: context.signal,
  });
  return parseStatus(splitNul(output));
}

function render(status: Status, count: number): string {
  const at = status.commit?.slice(0, 10) ?? 'no commit yet';
  const head =
    status.branch === null ? `detached at ${at}` : `branch ${showName(status.branch)}, ${at}`;
  if (count === 0) return `${head}\nclean\n`;
  const lines = status.entries.map(
    (entry) => `${letters(entry)} ${renames(entry)}${note(entry)}\n`,
  );
  const rest = count - status.entries.length;
  const more = rest > 0 ? `[${rest} more; narrow it by paths]\n` : '';
  return `${head}\n${count} ${count === 1 ? 'change' : 'changes'}:\n${lines.join('')}${more}`;
}

function letters({ index, worktree }: StatusEntry): string {
  return `${index}${worktree}`.replaceAll('.', ' ');
}

function renames({ path, original_path }: StatusEntry): string {
  return original_path === undefined
    ? showName(path)
    : `${showName(original_path)} => ${showName(path)}`;
}

function note({ submodule }: StatusEntry): string {
  if (submodule === undefined) return '';
  const says = [
    submodule.includes('C') ? 'other commit' : '',
    submodule.includes('M') ? 'modified content' : '',
    submodule.includes('U') ? 'untracked content' : '',
  ].filter((text) => text !== '');
  return ` (submodule${says.length === 0 ? '' : `: ${says.join(', ')}`})`;
}
