import { ToolError } from '../errors/tool-error.ts';

/**
 * The lexical form of a caller's path: workspace-relative, `/` between names, `''` for the root, blanks
 * kept. An absolute path must lie inside `root`. `..` is kept in place (`a/../b`), because after a link it
 * is physical: the workspace resolves it. Errors: `invalid_argument` (`bad_path`) for NUL, half a surrogate pair
 * or blanks alone, `permission_denied` (`outside_workspace`).
 */
export function lexicalPath(path: string, root: string): string {
  if (path.includes('\0')) {
    throw new ToolError('invalid_argument', 'The path has a NUL character; remove it.', {
      reason: 'bad_path',
    });
  }
  if (loneSurrogate.test(path)) {
    throw new ToolError(
      'invalid_argument',
      'The path has half a surrogate pair, which no file name can hold; correct it.',
      { reason: 'bad_path' },
    );
  }
  if (path !== '' && path.trim() === '') {
    throw new ToolError('invalid_argument', 'The path is only blanks; name a file or directory.', {
      reason: 'bad_path',
    });
  }
  let relative = path;
  if (path.startsWith('/')) {
    const base = root === '/' ? '/' : root.replace(/\/+$/, '');
    if (path === base || `${path}/` === `${base}/`) return '';
    const prefix = base === '/' ? '/' : `${base}/`;
    if (!path.startsWith(prefix)) throw outsideWorkspace(path);
    relative = path.slice(prefix.length);
  }
  // Most paths are in that form already.
  if (!loose.test(relative)) return relative;
  return relative
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .join('/');
}

/** Names that the lexical form leaves out: empty ones and `.`. */
const loose = /(?:^|\/)\.?(?:\/|$)/u;

/** With the `u` flag pairs are one character, so only halves match. */
const loneSurrogate = /[\ud800-\udfff]/u;

/** Whether a caller's path can only mean a directory: it ends in `/` or `/.`. */
export function namesDirectory(path: string): boolean {
  return /\/\.?$/u.test(path);
}

/** The typed refusal to make a file under a path that can only mean a directory. */
export function notAFileName(path: string): ToolError {
  return new ToolError(
    'invalid_argument',
    `${JSON.stringify(path)} names a directory; leave out the "/" at its end to name a file.`,
    { reason: 'not_a_file', fields: { path } },
  );
}

/** The typed refusal for a path that leaves the root; `path` is shown as the caller wrote it. */
export function outsideWorkspace(path: string): ToolError {
  return new ToolError(
    'permission_denied',
    `${JSON.stringify(path)} is outside the workspace; use a path inside it, relative to its root.`,
    { reason: 'outside_workspace', fields: { path } },
  );
}

/** The typed error for a path at which nothing is. */
export function pathNotFound(path: string): ToolError {
  return new ToolError(
    'not_found',
    `${JSON.stringify(path)} does not exist; list its directory to see what is there.`,
    { fields: { path } },
  );
}

/** The typed error for a change that builds on another state than the path has. */
export function versionConflict(path: string, expected: string, actual: string | null): ToolError {
  return new ToolError(
    'version_conflict',
    `${JSON.stringify(path)} is not in the expected state (expected ${expected}, found ${actual ?? 'nothing'}); read it again and redo the change.`,
    { fields: { path, expected, ...(actual === null ? {} : { actual }) } },
  );
}

/** The directory part of a workspace path; `''` for a name in the root. */
export function parentPath(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

/** The last name of a workspace path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Orders strings by their UTF-8 bytes (which is by code point). */
export function compareUtf8(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) {
      // Surrogates stand for code points above every other UTF-16 unit.
      const highX = x >= 0xd800 && x <= 0xdfff;
      const highY = y >= 0xd800 && y <= 0xdfff;
      return highX === highY ? x - y : highX ? 1 : -1;
    }
  }
  return a.length - b.length;
}
