import { sha256Hex } from '../../digest/sha256.ts';
import { ToolError } from '../../errors/tool-error.ts';
import { credentialDenied, isCredentialPath } from '../credential-path.ts';
import { namesDirectory, notAFileName, pathNotFound, versionConflict } from '../workspace-path.ts';
import type {
  ExpectedVersion,
  PromotedChange,
  StagedFile,
  StageFileOptions,
  WorkspaceChange,
  WorkspaceWriter,
  WriteTransaction,
} from '../writer.ts';
import type { MemoryNode, MemoryTree } from './memory-tree.ts';

interface Staged {
  readonly shown: string;
  readonly real: string;
  readonly expected: ExpectedVersion;
  readonly next: () => { readonly bytes: Uint8Array; readonly executable: boolean } | undefined;
  readonly resumeKey?: string | undefined;
}

/** Writing of a memory workspace. */
export class MemoryWriter implements WorkspaceWriter {
  readonly #tree: MemoryTree;
  readonly #openCredentials: boolean;
  readonly #kept = new Map<string, Uint8Array>();

  constructor(tree: MemoryTree, openCredentials: boolean) {
    this.#tree = tree;
    this.#openCredentials = openCredentials;
  }

  async begin(): Promise<WriteTransaction> {
    const staged: Staged[] = [];
    let open = true;
    const add = (entry: Staged): void => {
      if (!open) throw new TypeError('The transaction has ended.');
      if (staged.some((other) => other.real === entry.real)) {
        throw new TypeError(`The transaction already changes ${entry.real}.`);
      }
      this.#check(entry);
      staged.push(entry);
    };
    return {
      stage: async (change) => add(this.#toStaged(change)),
      stageFile: async (options) => {
        const buffer = new StagedBuffer(this.#kept.get(options.resumeKey ?? ''));
        add(this.#fileToStaged(options, buffer));
        return buffer;
      },
      promoteAll: async () => {
        if (!open) throw new TypeError('The transaction has ended.');
        for (const entry of staged) this.#check(entry);
        open = false;
        return this.#promote(staged);
      },
      rollback: async (options = {}) => {
        if (!open) return;
        open = false;
        for (const { resumeKey, next } of staged) {
          const bytes = next()?.bytes;
          if (resumeKey === undefined) continue;
          if (options.keep === true && bytes !== undefined) this.#kept.set(resumeKey, bytes);
          else this.#kept.delete(resumeKey);
        }
      },
    };
  }

  #promote(staged: readonly Staged[]): PromotedChange[] {
    const before: [string, MemoryNode | undefined][] = [];
    try {
      return staged.map((entry) => {
        const node = this.#tree.get(entry.real);
        before.push([entry.real, node]);
        const next = entry.next();
        if (next === undefined) this.#tree.delete(entry.real);
        else this.#tree.putFile(entry.real, next.bytes, next.executable);
        if (entry.resumeKey !== undefined) this.#kept.delete(entry.resumeKey);
        return {
          path: entry.real,
          action: next === undefined ? 'deleted' : node === undefined ? 'created' : 'modified',
          beforeSha256: node?.kind === 'file' ? sha256Hex(node.bytes) : null,
          afterSha256: next === undefined ? null : sha256Hex(next.bytes),
        };
      });
    } catch (error) {
      for (const [path, node] of before.reverse()) this.#tree.restore(path, node);
      throw error;
    }
  }

  #toStaged(change: WorkspaceChange): Staged {
    const real = this.#tree.resolve(change.path);
    const node = this.#tree.get(real);
    const base = { shown: change.path, real, expected: change.expected };
    switch (change.kind) {
      case 'write': {
        const bytes = change.content.slice();
        const executable = change.executable ?? (node?.kind === 'file' ? node.executable : false);
        return { ...base, next: () => ({ bytes, executable }) };
      }
      case 'delete':
        if (node === undefined) throw pathNotFound(change.path);
        return { ...base, next: () => undefined };
      case 'set_executable':
        if (node?.kind !== 'file') throw pathNotFound(change.path);
        return { ...base, next: () => ({ bytes: node.bytes, executable: change.executable }) };
    }
  }

  #fileToStaged(options: StageFileOptions, buffer: StagedBuffer): Staged {
    const real = this.#tree.resolve(options.path);
    return {
      shown: options.path,
      real,
      expected: options.expected,
      resumeKey: options.resumeKey,
      next: () => ({ bytes: buffer.bytes(), executable: false }),
    };
  }

  #check({ shown, real, expected }: Staged): void {
    if (!this.#openCredentials && isCredentialPath(real)) throw credentialDenied(shown);
    const node = this.#tree.get(real);
    if (real === '' || node?.kind === 'directory') {
      throw new ToolError(
        'invalid_argument',
        `${JSON.stringify(shown)} is a directory; name a file.`,
        {
          reason: 'not_a_file',
          fields: { path: shown },
        },
      );
    }
    if (node === undefined && namesDirectory(shown)) throw notAFileName(shown);
    const actual = node?.kind === 'file' ? sha256Hex(node.bytes) : null;
    if (expected.kind === 'absent' && node !== undefined)
      throw versionConflict(shown, 'absent', actual);
    if (expected.kind === 'sha256' && expected.sha256 !== actual) {
      throw versionConflict(shown, expected.sha256, actual);
    }
  }
}

class StagedBuffer implements StagedFile {
  readonly initialSize: number;
  #bytes: Uint8Array;
  #size: number;

  constructor(kept: Uint8Array | undefined) {
    this.#bytes = kept?.slice() ?? new Uint8Array(0);
    this.#size = this.#bytes.length;
    this.initialSize = this.#size;
  }

  async read(start: number, length: number): Promise<Uint8Array> {
    return this.#bytes.slice(start, Math.min(start + length, this.#size));
  }

  async write(position: number, bytes: Uint8Array): Promise<void> {
    const end = position + bytes.length;
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(end, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, position);
    this.#size = Math.max(this.#size, end);
  }

  async truncate(size: number): Promise<void> {
    this.#size = Math.min(size, this.#size);
    this.#bytes = this.#bytes.slice(0, this.#size);
  }

  /** Memory is hashed as fast as it is told. */
  declareSha256(): void {}

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#size);
  }
}
