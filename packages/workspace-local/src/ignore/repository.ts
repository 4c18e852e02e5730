import { lstatSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The git repository that a directory belongs to, as far as ignore rules need it. */
export interface Repository {
  /** Absolute path of the top of the working tree. */
  readonly top: string;
  /** The git directory shared by all worktrees: holds `info/exclude` and `config`. */
  readonly commonDirectory: string;
}

/** The repository whose working tree contains `directory`, looking upward; undefined outside of any. */
export function findRepository(directory: string): Repository | undefined {
  for (let current = directory; ; current = dirname(current)) {
    const repository = repositoryAt(current);
    if (repository !== undefined) return repository;
    if (dirname(current) === current) return undefined;
  }
}

/** The repository whose working tree begins at exactly this directory. */
export function repositoryAt(directory: string): Repository | undefined {
  const dotGit = join(directory, '.git');
  let isDirectory: boolean;
  try {
    isDirectory = statSync(dotGit).isDirectory();
  } catch {
    return undefined;
  }
  if (isDirectory) return { top: directory, commonDirectory: dotGit };
  // A linked worktree or a submodule: `.git` is a file that names the git directory.
  const pointer = /^gitdir: (.+?)\r?\n?$/.exec(readText(dotGit) ?? '');
  if (pointer?.[1] === undefined) return undefined;
  const gitDirectory = resolve(directory, pointer[1]);
  const common = readText(join(gitDirectory, 'commondir'))?.trim();
  return {
    top: directory,
    commonDirectory: common === undefined ? gitDirectory : resolve(gitDirectory, common),
  };
}

/**
 * A text file's content, or undefined when it cannot be read. Ignore and config files are small; more than
 * 8 MiB is not read. `followLinks` false takes a link for no file, as git does with `.gitignore`.
 */
export function readText(path: string, followLinks = true): string | undefined {
  try {
    const stat = followLinks ? statSync(path) : lstatSync(path);
    if (!stat.isFile() || stat.size > maxTextBytes) return undefined;
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const maxTextBytes = 8 * 1024 * 1024;
