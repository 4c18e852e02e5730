import { lstatSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import {
  lexicalPath,
  namesDirectory,
  outsideWorkspace,
  pathNotFound,
  ToolError,
} from '@toolwright/core';

/** Where a caller's path leads. */
export interface ResolvedPath {
  /** Real workspace path with `/`; `''` is the root. */
  readonly path: string;
  /** The same as an absolute path of the system. */
  readonly absolute: string;
  readonly exists: boolean;
}

/** How paths of a directory resolve, and what lies outside of it. */
export class LocalPaths {
  /** The absolute real path of the root. */
  readonly root: string;
  readonly #given: string;

  /** Errors: `not_found`, or `invalid_argument` (`not_a_directory`). */
  constructor(root: string) {
    this.#given = root;
    try {
      this.root = realpathSync.native(root);
    } catch (error) {
      throw new ToolError('not_found', 'The workspace directory does not exist.', { cause: error });
    }
    if (!statSync(this.root).isDirectory()) {
      throw new ToolError('invalid_argument', 'The workspace is not a directory.', {
        reason: 'not_a_directory',
      });
    }
  }

  /**
   * The real path of a caller's path: links followed by the system itself, `..` physical, names that do not
   * exist kept. `last: 'keep'` leaves a link in the last place alone. Errors: `permission_denied`
   * (`outside_workspace`), also for a link that dangles; `not_found` for `..` below a missing directory.
   */
  resolve(path: string, last: 'follow' | 'keep' = 'follow'): ResolvedPath {
    const lexical = this.#toLexical(path);
    if (lexical === '') return { path: '', absolute: this.root, exists: true };
    if (last === 'keep') {
      const slash = lexical.lastIndexOf('/');
      const parent = this.#resolveLexical(slash < 0 ? '' : lexical.slice(0, slash), path);
      const name = lexical.slice(slash + 1);
      if (name === '..') return this.#resolveLexical(lexical, path);
      return this.#below(parent.absolute, name);
    }
    return this.#resolveLexical(lexical, path);
  }

  /** The workspace path of an absolute real path. Errors: `outside_workspace`, shown as the caller wrote it. */
  toWorkspacePath(absolute: string, shown: string): string {
    const path = relative(this.root, absolute);
    if (path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) {
      throw outsideWorkspace(shown);
    }
    return sep === '/' ? path : path.replaceAll(sep, '/');
  }

  #toLexical(path: string): string {
    const slashed = sep === '/' ? path : path.replaceAll(sep, '/');
    try {
      return lexicalPath(slashed, this.root);
    } catch (error) {
      // The root may be given through a link; its own spelling is as good as the real one.
      if (!isAbsolute(path) || !isAbsolute(this.#given)) throw error;
      return lexicalPath(slashed, this.#given);
    }
  }

  #resolveLexical(lexical: string, shown: string): ResolvedPath {
    const absolute = join(this.root, ...(lexical.includes('..') ? [] : [lexical]));
    const wanted = lexical.includes('..') ? `${this.root}${sep}${lexical}` : absolute;
    try {
      const real = realpathSync.native(wanted);
      if (namesDirectory(shown) && !statSync(real).isDirectory()) throw notADirectory(shown);
      return { path: this.toWorkspacePath(real, shown), absolute: real, exists: true };
    } catch (error) {
      return this.#resolveMissing(lexical, shown, error);
    }
  }

  /** The deepest part that exists, resolved, and the names below it as they are. */
  #resolveMissing(lexical: string, shown: string, error: unknown): ResolvedPath {
    if (ToolError.isInstance(error)) throw error;
    const code = codeOf(error);
    if (code === 'ELOOP') throw linkLoop(shown, error);
    if (code === 'ENAMETOOLONG') throw nameTooLong(shown, error);
    if (code === 'EACCES' || code === 'EPERM') throw unreadable(shown, error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    const names = lexical.split('/');
    let real = this.root;
    for (const [index, name] of names.entries()) {
      const next = `${real}${sep}${name}`;
      let resolved: string;
      try {
        resolved = realpathSync.native(next);
      } catch {
        // A link that leads nowhere: what it would name is unknown, so it is refused.
        if (isLink(next)) throw outsideWorkspace(shown);
        if (code === 'ENOTDIR') throw notADirectory(shown);
        const rest = names.slice(index);
        if (rest.includes('..')) throw pathNotFound(shown);
        const missing = this.#below(real, rest.join(sep));
        return { ...missing, exists: false };
      }
      this.toWorkspacePath(resolved, shown);
      real = resolved;
    }
    throw pathNotFound(shown);
  }

  #below(parent: string, name: string): ResolvedPath {
    const absolute = `${parent}${parent.endsWith(sep) ? '' : sep}${name}`;
    return { path: this.toWorkspacePath(absolute, name), absolute, exists: true };
  }
}

/** The system's error code of a thrown value. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/** The typed error for what the system's permissions forbid. */
export function unreadable(path: string, cause: unknown): ToolError {
  return new ToolError(
    'permission_denied',
    `The system does not permit access to ${JSON.stringify(path)}; choose another path.`,
    { reason: 'system', fields: { path }, cause },
  );
}

/** The typed error for a path that goes through a file, or lists one. */
export function notADirectory(path: string): ToolError {
  return new ToolError(
    'invalid_argument',
    `${JSON.stringify(path)} goes through a file where a directory is wanted; read the file instead.`,
    { reason: 'not_a_directory', fields: { path } },
  );
}

/** The typed error for a path, or a name in it, that is longer than the system takes. */
export function nameTooLong(path: string, cause: unknown): ToolError {
  return new ToolError(
    'invalid_argument',
    `${JSON.stringify(path.slice(0, 80))}… is too long; choose shorter names.`,
    { reason: 'bad_path', cause },
  );
}

function linkLoop(path: string, cause: unknown): ToolError {
  return new ToolError(
    'invalid_argument',
    `${JSON.stringify(path)} is a link that leads to itself.`,
    {
      reason: 'link_loop',
      fields: { path },
      cause,
    },
  );
}

function isLink(absolute: string): boolean {
  try {
    return lstatSync(absolute).isSymbolicLink();
  } catch {
    return false;
  }
}
