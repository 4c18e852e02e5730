import { ToolError } from '../../errors/tool-error.ts';
import { credentialDenied, isCredentialPath } from '../credential-path.ts';
import type { DirectoryEntry, FileReader, FileStat, WorkspaceFiles } from '../files.ts';
import { compareUtf8, pathNotFound } from '../workspace-path.ts';
import type { MemoryTree } from './memory-tree.ts';

/** Reading of a memory workspace. */
export class MemoryFiles implements WorkspaceFiles {
  readonly #tree: MemoryTree;
  readonly #openCredentials: boolean;

  constructor(tree: MemoryTree, openCredentials: boolean) {
    this.#tree = tree;
    this.#openCredentials = openCredentials;
  }

  async stat(path: string, options: { readonly followLinks?: boolean } = {}): Promise<FileStat> {
    const last = options.followLinks === false ? 'keep' : 'follow';
    return this.#tree.stat(this.#tree.resolve(path, last), path);
  }

  async list(path: string): Promise<readonly DirectoryEntry[]> {
    const real = this.#tree.resolve(path);
    const node = this.#tree.get(real);
    if (node === undefined) throw pathNotFound(path);
    if (node.kind !== 'directory') {
      throw new ToolError(
        'invalid_argument',
        `${JSON.stringify(path)} is a file; read it instead.`,
        {
          reason: 'not_a_directory',
          fields: { path },
        },
      );
    }
    const entries = this.#tree.children(real).map((name): DirectoryEntry => {
      const child = this.#tree.get(real === '' ? name : `${real}/${name}`);
      if (child?.kind === 'symlink') return { name, kind: 'symlink', linkTarget: child.target };
      return { name, kind: child?.kind ?? 'unknown' };
    });
    return entries.sort((a, b) => compareUtf8(a.name, b.name));
  }

  async openRead(path: string): Promise<FileReader> {
    const real = this.#tree.resolve(path);
    if (!this.#openCredentials && isCredentialPath(real)) throw credentialDenied(path);
    const node = this.#tree.get(real);
    if (node === undefined) throw pathNotFound(path);
    if (node.kind !== 'file') {
      throw new ToolError(
        'invalid_argument',
        `${JSON.stringify(path)} is a directory; list it instead.`,
        {
          reason: 'not_a_file',
          fields: { path },
        },
      );
    }
    const { bytes } = node;
    return {
      stat: this.#tree.stat(real, path),
      read: async (start, length) => bytes.slice(start, start + length),
      close: async () => {},
    };
  }
}
