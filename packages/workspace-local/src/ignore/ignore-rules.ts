import { dirname, join, relative, sep } from 'node:path';
import { configEnvironment, readIgnoreConfig, type ConfigEnvironment } from './git-config.ts';
import {
  parseIgnoreFile,
  type IgnoreCandidate,
  type IgnoreFile,
  type IgnoreVerdict,
} from './ignore-file.ts';
import { findRepository, readText, repositoryAt, type Repository } from './repository.ts';

/**
 * The rules in force inside one directory: a chain from the innermost ignore file outward. The first file
 * that has a matching rule decides.
 */
export interface IgnoreScope {
  readonly file: IgnoreFile;
  /** Length of the part of an absolute path that lies above the directory of `file`, its slash included. */
  readonly prefixLength: number;
  readonly outer: IgnoreScope | undefined;
}

/** Judges an entry under a chain of rules; `kept` means that a negated rule names it. */
export function judgeEntry(scope: IgnoreScope | undefined, entry: IgnoreCandidate): IgnoreVerdict {
  for (let level = scope; level !== undefined; level = level.outer) {
    const verdict = level.file.judge(entry, level.prefixLength);
    if (verdict !== 'none') return verdict;
  }
  return 'none';
}

/**
 * Loads the ignore rules of a tree as git has them: `.gitignore` of each directory (of the directories
 * above the root too, up to the top of the repository), `.git/info/exclude`, and the user's own file. A
 * nested repository starts afresh with its own. Files are read once an instance; make a new one to see changes.
 */
export class IgnoreRules {
  readonly #root: string;
  readonly #environment: ConfigEnvironment;
  readonly #scopes = new Map<string, IgnoreScope | undefined>();
  readonly #consulted = new Set<string>();
  #folding = false;

  /** `root` is the absolute real path of the tree. */
  constructor(root: string, environment: ConfigEnvironment = configEnvironment()) {
    this.#root = toPosix(root);
    this.#environment = environment;
  }

  /**
   * Files outside of the tree's own `.gitignore` files that the rules were made from so far, whether they exist or not:
   * of the repositories, of the user, and above the root. `.git` itself may be a directory.
   */
  get consulted(): ReadonlySet<string> {
    return this.#consulted;
  }

  /** The rules for the entries of `directory` (absolute, with `/`, the root or below it). */
  scopeOf(directory: string): IgnoreScope | undefined {
    if (this.#scopes.has(directory)) return this.#scopes.get(directory);
    const scope =
      directory === this.#root
        ? this.#rootScope()
        : this.scopeInside(directory, this.scopeOf(posixDirname(directory)), {
            hasIgnoreFile: true,
            hasRepository: true,
          });
    this.#scopes.set(directory, scope);
    return scope;
  }

  /** The rules for the entries of a directory below the root, given those of its parent and what its listing showed. */
  scopeInside(
    directory: string,
    outer: IgnoreScope | undefined,
    holds: { readonly hasIgnoreFile: boolean; readonly hasRepository: boolean },
  ): IgnoreScope | undefined {
    if (!holds.hasIgnoreFile && !holds.hasRepository) return outer;
    if (this.#scopes.has(directory)) return this.#scopes.get(directory);
    let scope = outer;
    if (holds.hasRepository) {
      const repository = repositoryAt(directory);
      if (repository !== undefined) scope = this.#repositoryScope(repository);
    }
    return holds.hasIgnoreFile ? this.#withIgnoreFile(directory, scope) : scope;
  }

  /** Whether git would ignore a path (absolute, with `/`): by a rule for itself or for a directory above it. */
  isIgnored(path: string, isDirectory: boolean): boolean {
    const parts = path.slice(this.#root.length + 1).split('/');
    let current = this.#root;
    for (const [index, part] of parts.entries()) {
      const entry = {
        name: part,
        directory: current,
        isDirectory: isDirectory || index < parts.length - 1,
      };
      if (judgeEntry(this.scopeOf(current), entry) === 'ignored') return true;
      current = `${current}/${part}`;
    }
    return false;
  }

  #rootScope(): IgnoreScope | undefined {
    for (let above = this.#root; ; above = dirname(above)) {
      this.#consulted.add(join(above, '.git'));
      if (above !== this.#root) this.#consulted.add(join(above, '.gitignore'));
      if (dirname(above) === above) break;
    }
    const repository = findRepository(this.#root);
    if (repository === undefined) {
      return this.#withIgnoreFile(this.#root, this.#userScope(undefined, this.#root));
    }
    const top = toPosix(repository.top);
    let scope = this.#repositoryScope(repository);
    const below = relative(top, this.#root).split(sep).filter(Boolean);
    scope = this.#withIgnoreFile(top, scope);
    let current = top;
    for (const part of below) {
      current = `${current}/${part}`;
      scope = this.#withIgnoreFile(current, scope);
    }
    return scope;
  }

  #repositoryScope(repository: Repository): IgnoreScope | undefined {
    const top = toPosix(repository.top);
    const user = this.#userScope(repository, top);
    const exclude = join(repository.commonDirectory, 'info', 'exclude');
    this.#consulted.add(exclude).add(join(repository.top, '.git'));
    const text = readText(exclude);
    return this.#withText(top, text, user);
  }

  #userScope(repository: Repository | undefined, top: string): IgnoreScope | undefined {
    const config = readIgnoreConfig(repository, this.#environment);
    this.#folding = config.foldCase;
    for (const place of config.places) this.#consulted.add(place);
    if (config.excludesFile === undefined) return undefined;
    this.#consulted.add(config.excludesFile);
    return this.#withText(top, readText(config.excludesFile), undefined);
  }

  #withIgnoreFile(directory: string, outer: IgnoreScope | undefined): IgnoreScope | undefined {
    return this.#withText(directory, readText(`${directory}/.gitignore`, false), outer);
  }

  #withText(
    directory: string,
    text: string | undefined,
    outer: IgnoreScope | undefined,
  ): IgnoreScope | undefined {
    const file =
      text === undefined ? undefined : parseIgnoreFile(text, { foldCase: this.#folding });
    const prefixLength = directory === '/' ? 1 : directory.length + 1;
    return file === undefined ? outer : { file, prefixLength, outer };
  }
}

/** Native separators as `/`. */
export function toPosix(path: string): string {
  return sep === '/' ? path : path.split(sep).join('/');
}

function posixDirname(path: string): string {
  return sep === '/' ? dirname(path) : path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}
