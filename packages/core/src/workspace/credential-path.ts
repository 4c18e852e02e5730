import { ToolError } from '../errors/tool-error.ts';

const rootFiles = new Set(['.netrc', '.npmrc', '.pypirc', '.git-credentials', '.claude.json']);

const nestedFiles = new Set(['.a3s/os-auth.json', '.codex/auth.json', '.claude/.credentials.json']);

/** Below these, files belong to packages, builds and version control: not the user's own credentials. */
const foreignTrees = new Set([
  'node_modules',
  'bower_components',
  'vendor',
  'target',
  'dist',
  'build',
  '.git',
  '.hg',
  '.svn',
  '.venv',
  'venv',
  '__pycache__',
]);

/**
 * Whether a workspace path names a credential file: any component that begins with `.env`, and well-known
 * token files at the root. Compared without case on every platform. Paths below dependency, build and
 * version-control directories are not examined.
 */
export function isCredentialPath(path: string): boolean {
  const folded = path.toLowerCase();
  if (rootFiles.has(folded) || nestedFiles.has(folded)) return true;
  for (const name of folded.split('/')) {
    if (foreignTrees.has(name)) return false;
    if (name.startsWith('.env')) return true;
  }
  return false;
}

/** Whether a directory holds foreign files, in which a credential name means nothing. */
export function isForeignTree(path: string): boolean {
  return path
    .toLowerCase()
    .split('/')
    .some((name) => foreignTrees.has(name));
}

/** The typed refusal for a credential file. */
export function credentialDenied(path: string): ToolError {
  return new ToolError(
    'permission_denied',
    `${JSON.stringify(path)} holds credentials and is closed to tools; ask the person at the session to handle it.`,
    { reason: 'credential', fields: { path } },
  );
}
