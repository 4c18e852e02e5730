import {
  credentialDenied,
  isCredentialPath,
  lexicalPath,
  outsideWorkspace,
} from '@toolwright/core';

/** What paths are resolved by. */
export interface PathResolver {
  resolvePath(path: string): Promise<string>;
}

const rootCredentials = ['.netrc', '.npmrc', '.pypirc', '.git-credentials', '.claude.json'];

const nestedCredentials = ['.a3s/os-auth.json', '.codex/auth.json', '.claude/.credentials.json'];

/** Credential files, as pathspecs that leave them out; the kinds are those of `isCredentialPath`. */
const withoutCredentials: readonly string[] = [
  ':(exclude,icase,glob)**/.env*',
  ':(exclude,icase,glob)**/.env*/**',
  ...[...rootCredentials, ...nestedCredentials].map((path) => `:(exclude,icase)${path}`),
];

/**
 * Workspace paths of a call, as they stand in the repository: links are not followed, since git does not.
 * Errors: those of paths, and `permission_denied` (`credential`).
 */
export async function toRepositoryPaths(
  paths: readonly string[],
  workspace: PathResolver,
): Promise<readonly string[]> {
  const relative: string[] = [];
  for (const path of paths) {
    const inside = path.startsWith('/') ? await workspace.resolvePath(path) : withoutParents(path);
    if (isCredentialPath(inside)) throw credentialDenied(inside);
    relative.push(inside);
  }
  return relative;
}

/** Paths as pathspecs that mean exactly these (no globs, no magic), or the workspace when there are none. */
export function toPathspecs(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return ['.'];
  return paths.map((path) => (path === '' ? '.' : `:(literal)${path}`));
}

/** The same for what shows or takes content: credential files are left out. */
export function toContentPathspecs(paths: readonly string[]): readonly string[] {
  return [...toPathspecs(paths), ...withoutCredentials];
}

function withoutParents(path: string): string {
  const names: string[] = [];
  for (const name of lexicalPath(path, '/').split('/')) {
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) throw outsideWorkspace(path);
  }
  return names.join('/');
}
