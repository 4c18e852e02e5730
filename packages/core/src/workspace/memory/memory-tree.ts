import { ToolError } from '../../errors/tool-error.ts';
import type { FileStat } from '../files.ts';
import {
  lexicalPath,
  namesDirectory,
  outsideWorkspace,
  parentPath,
  pathNotFound,
} from '../workspace-path.ts';

/** A thing in a memory workspace. */
export type MemoryNode =
  | {
      readonly kind: 'file';
      readonly bytes: Uint8Array;
      readonly executable: boolean;
      readonly mtimeMs: number;
      /** Grows with every change of any file. */
      readonly revision: number;
    }
  | { readonly kind: 'directory' }
  | { readonly kind: 'symlink'; readonly target: string };

const maxLinks = 40;

/** The nodes of a memory workspace by real path, and how paths resolve over its links. */
export class MemoryTree {
  readonly root: string;
  readonly #nodes = new Map<string, MemoryNode>([['', { kind: 'directory' }]]);
  #revision = 0;

  constructor(root: string) {
    this.root = root;
  }

  get(realPath: string): MemoryNode | undefined {
    return this.#nodes.get(realPath);
  }

  /** Puts a file and the directories above it. */
  putFile(realPath: string, bytes: Uint8Array, executable: boolean): void {
    this.#addParents(realPath);
    this.#revision += 1;
    this.#nodes.set(realPath, {
      kind: 'file',
      bytes,
      executable,
      mtimeMs: this.#revision,
      revision: this.#revision,
    });
  }

  putDirectory(realPath: string): void {
    this.#addParents(realPath);
    if (!this.#nodes.has(realPath)) this.#nodes.set(realPath, { kind: 'directory' });
  }

  putLink(realPath: string, target: string): void {
    this.#addParents(realPath);
    this.#nodes.set(realPath, { kind: 'symlink', target });
  }

  /** Puts back a node exactly as it was. */
  restore(realPath: string, node: MemoryNode | undefined): void {
    if (node === undefined) this.#nodes.delete(realPath);
    else this.#nodes.set(realPath, node);
  }

  delete(realPath: string): void {
    this.#nodes.delete(realPath);
  }

  /** Names directly below a directory, in no order. */
  children(realPath: string): string[] {
    const prefix = realPath === '' ? '' : `${realPath}/`;
    const names: string[] = [];
    for (const path of this.#nodes.keys()) {
      if (path === '' || !path.startsWith(prefix)) continue;
      const rest = path.slice(prefix.length);
      if (rest !== '' && !rest.includes('/')) names.push(rest);
    }
    return names;
  }

  /**
   * The real path of a caller's path: links followed, `..` physical, the part that does not exist kept.
   * `last: 'keep'` leaves a link in the last place alone.
   */
  resolve(path: string, last: 'follow' | 'keep' = 'follow'): string {
    let pending: string | undefined = lexicalPath(path, this.root);
    let real = '';
    let links = 0;
    let throughLink = false;
    while (pending !== undefined) {
      const slash: number = pending.indexOf('/');
      const name: string = slash < 0 ? pending : pending.slice(0, slash);
      pending = slash < 0 ? undefined : pending.slice(slash + 1);
      if (name === '') continue;
      if (name === '..') {
        if (real === '') throw outsideWorkspace(path);
        real = parentPath(real);
        continue;
      }
      const next = real === '' ? name : `${real}/${name}`;
      const node = this.#nodes.get(next);
      const isLast = pending === undefined;
      if (node?.kind !== 'symlink' || (isLast && last === 'keep')) {
        if (node?.kind === 'file' && !isLast) throw notADirectory(path);
        real = next;
        continue;
      }
      links += 1;
      if (links > maxLinks) {
        throw new ToolError('invalid_argument', `${JSON.stringify(path)} has too many links.`, {
          reason: 'link_loop',
          fields: { path },
        });
      }
      const target = node.target.startsWith('/')
        ? this.#insideRoot(node.target, path)
        : node.target;
      if (node.target.startsWith('/')) real = '';
      pending = pending === undefined ? target : `${target}/${pending}`;
      throughLink ||= isLast;
    }
    // A link whose target is missing is refused: what it would name is unknown.
    if (throughLink && !this.#nodes.has(real)) throw outsideWorkspace(path);
    if (namesDirectory(path) && this.#nodes.get(real)?.kind === 'file') throw notADirectory(path);
    return real;
  }

  /** Facts about a real path. Errors: `not_found`, naming the path as the caller wrote it. */
  stat(realPath: string, shown: string): FileStat {
    const node = this.#nodes.get(realPath);
    if (node === undefined) throw pathNotFound(shown);
    if (node.kind !== 'file') {
      return {
        path: realPath,
        kind: node.kind,
        size: 0,
        mtimeMs: 0,
        token: node.kind,
        executable: false,
        links: 1,
      };
    }
    return {
      path: realPath,
      kind: 'file',
      size: node.bytes.length,
      mtimeMs: node.mtimeMs,
      token: `${node.revision}`,
      executable: node.executable,
      links: 1,
    };
  }

  #insideRoot(target: string, shown: string): string {
    try {
      return lexicalPath(target, this.root);
    } catch {
      throw outsideWorkspace(shown);
    }
  }

  #addParents(realPath: string): void {
    for (let parent = parentPath(realPath); parent !== ''; parent = parentPath(parent)) {
      const node = this.#nodes.get(parent);
      if (node !== undefined && node.kind !== 'directory') throw notADirectory(parent);
      this.#nodes.set(parent, { kind: 'directory' });
    }
  }
}

function notADirectory(path: string): ToolError {
  return new ToolError(
    'invalid_argument',
    `${JSON.stringify(path)} goes through a file; a directory is wanted there.`,
    {
      reason: 'not_a_directory',
      fields: { path },
    },
  );
}
