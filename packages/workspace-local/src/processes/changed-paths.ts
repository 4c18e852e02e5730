import { lstat, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { compareUtf8 } from '@toolwright/core';
import type { LocalGit } from '../git/local-git.ts';
import type { Repository } from '../git/repository.ts';

/** Files looked at for one answer, at most. */
const maxFiles = 100_000;

/** Milliseconds by which the clock of a file system lags behind. */
const clockLagMs = 15;

/**
 * Paths that changed since a moment, by the change time of files, which no program can set: among those
 * that git calls changed, and among all tracked ones when the index is newer too (a checkout makes files
 * clean again). Deleted files are those whose directory is newer. Null without a repository, and where
 * there are too many files.
 */
export async function changedPaths(
  git: LocalGit,
  root: string,
  sinceMs: number,
): Promise<readonly string[] | null> {
  const repository = await git.repository().catch(() => null);
  if (repository === null) return null;
  const since = sinceMs - clockLagMs;
  const status = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all'];
  const dirty = await list(git, [...status, '--', '.']);
  if (dirty === null) return null;
  const candidates = new Set(dirty.map((entry) => entry.slice(3)));
  if (await isNewer(join(repository.gitDirectory, 'index'), since)) {
    const tracked = await list(git, ['ls-files', '-z', '--full-name', '--', '.']);
    for (const path of tracked ?? []) candidates.add(path);
  }
  if (candidates.size > maxFiles) return null;
  const changed: string[] = [];
  for (const path of candidates) {
    const absolute = join(repository.topLevel, path);
    if (await isChanged(absolute, since)) changed.push(toWorkspacePath(repository, root, path));
  }
  return changed.filter((path) => path !== '').toSorted(compareUtf8);
}

async function list(git: LocalGit, args: readonly string[]): Promise<readonly string[] | null> {
  const handle = await git.run({ args, access: 'read' });
  const chunks: Uint8Array[] = [];
  for await (const { stream, bytes } of handle.output)
    if (stream === 'stdout') chunks.push(new Uint8Array(bytes));
  const { exitCode } = await handle.exit;
  if (exitCode !== 0) return null;
  const entries = Buffer.concat(chunks).toString('utf8').split('\0');
  return entries.filter((entry) => entry !== '');
}

async function isChanged(path: string, since: number): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found === null ? isNewerDirectory(dirname(path), since) : found.ctimeMs >= since;
}

/** Whether the nearest directory that is still there has lost an entry since. */
async function isNewerDirectory(path: string, since: number): Promise<boolean> {
  for (let directory = path; directory !== dirname(directory); directory = dirname(directory)) {
    const found = await stat(directory).catch(() => null);
    if (found !== null) return found.mtimeMs >= since;
  }
  return false;
}

async function isNewer(path: string, since: number): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && found.ctimeMs >= since;
}

/** Empty for a path outside the workspace, which can lie deeper in the repository. */
function toWorkspacePath(repository: Repository, root: string, path: string): string {
  const absolute = `${repository.topLevel}/${path}`;
  return absolute.startsWith(`${root}/`) ? absolute.slice(root.length + 1) : '';
}
