import { join } from 'node:path';
import type { GitSetting } from './repository-programs.ts';

/** A submodule that a `.gitmodules` declares. */
export interface DeclaredSubmodule {
  readonly name: string;
  /** Relative to the top level, `/` between names. */
  readonly path: string;
}

/** Submodules whose settings are read before git looks into them, at most. */
export const maxSubmodules = 64;

/** The submodules that the settings of a `.gitmodules` declare, in their order; doubtful ones left out. */
export function declaredSubmodules(settings: readonly GitSetting[]): readonly DeclaredSubmodule[] {
  const found: DeclaredSubmodule[] = [];
  for (const { key, value } of settings) {
    const name = /^submodule\.(.+)\.path$/is.exec(key)?.[1];
    if (name === undefined || value === null) continue;
    const path = join(value);
    if (path.startsWith('..') || path.startsWith('/') || name.includes('=')) continue;
    found.push({ name, path });
  }
  return found;
}

/** The paths of submodules in the output of `git ls-files --stage -z`. */
export function gitlinkPaths(listing: string): readonly string[] {
  return listing
    .split('\0')
    .filter((entry) => entry.startsWith('160000 '))
    .map((entry) => entry.slice(entry.indexOf('\t') + 1));
}
