import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { outsideWorkspace } from '@toolwright/core';

/** A repository as git will find it from a directory. Paths are absolute and real. */
export interface Repository {
  readonly topLevel: string;
  readonly gitDirectory: string;
  /** Where refs and objects are; another than `gitDirectory` in a linked worktree. */
  readonly commonDirectory: string;
  /** The root of the workspace lies below the top level. */
  readonly reachesOutside: boolean;
}

/**
 * Finds the repository of a directory, by the rules of git: the nearest `.git` upwards, a directory or a file
 * that names one. Null when there is none. Errors: `permission_denied` (`outside_workspace`) when a `.git` of
 * the workspace leads to a repository outside that does not name this worktree as its own: otherwise
 * a written file would open any repository of the machine.
 */
export function findRepository(root: string, start: string): Repository | null {
  for (let directory = start; ; directory = dirname(directory)) {
    const found = gitDirectoryAt(directory);
    if (found !== null) return check(root, directory, found);
    if (directory === dirname(directory)) return null;
  }
}

function gitDirectoryAt(directory: string): string | null {
  const path = join(directory, '.git');
  try {
    const stat = lstatSync(path);
    if (stat.isFile()) {
      const target = /^gitdir: ([^\r\n]+)/.exec(readFileSync(path, 'utf8'))?.[1];
      return target === undefined ? null : realpathSync(resolve(directory, target));
    }
    // git takes a directory without a HEAD for no repository, and looks further up.
    lstatSync(join(path, 'HEAD'));
    return realpathSync(path);
  } catch {
    return null;
  }
}

function check(root: string, topLevel: string, gitDirectory: string): Repository {
  const commonDirectory = commonDirectoryOf(gitDirectory);
  const reachesOutside = !isWithin(topLevel, root);
  // An ancestor's `.git` is not the workspace's to write, so where it leads is not in question.
  if (!reachesOutside) {
    const own = isWithin(gitDirectory, root);
    if (own && !isWithin(commonDirectory, root)) throw outsideWorkspace(commonDirectory);
    if (!own && !namesWorktree(gitDirectory, topLevel)) throw outsideWorkspace(gitDirectory);
  }
  return { topLevel, gitDirectory, commonDirectory, reachesOutside };
}

function commonDirectoryOf(gitDirectory: string): string {
  const text = readText(join(gitDirectory, 'commondir'));
  return text === null ? gitDirectory : realOr(resolve(gitDirectory, text.trimEnd()));
}

/** Whether a repository outside names the worktree as one of its own: a linked worktree or a submodule. */
function namesWorktree(gitDirectory: string, topLevel: string): boolean {
  const link = readText(join(gitDirectory, 'gitdir'));
  if (link !== null)
    return realOr(resolve(gitDirectory, link.trimEnd())) === join(topLevel, '.git');
  return configuredWorktree(gitDirectory) === topLevel;
}

function configuredWorktree(gitDirectory: string): string | null {
  const text = readText(join(gitDirectory, 'config')) ?? '';
  let section = '';
  let found: string | null = null;
  for (const line of text.split('\n')) {
    section = /^\s*\[\s*([^\]]*?)\s*\]/.exec(line)?.[1]?.toLowerCase() ?? section;
    const value = /^[^#;=]*?\bworktree\s*=\s*"?([^"\r]*?)"?\s*$/i.exec(line)?.[1];
    if (section === 'core' && value !== undefined) found = realOr(resolve(gitDirectory, value));
  }
  return found;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** The real path of what exists, else the path itself. */
export function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Whether `path` is `directory` or lies below it. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}
