import {
  namesDirectory,
  notAFileName,
  ToolError,
  type CancelOptions,
  type PromotedChange,
  type StagedFile,
  type StageFileOptions,
  type WorkspaceChange,
  type WorkspaceWriter,
  type WriteTransaction,
} from '@toolwright/core';
import type { CredentialBoundary } from '../files/credential-boundary.ts';
import { toReadError } from '../files/local-files.ts';
import type { LocalPaths } from '../files/local-paths.ts';
import { DirectoryHandle, existingParent } from './directory-handle.ts';
import { FileHashes } from './file-hash.ts';
import { Promotion } from './promotion.ts';
import { withPromotionLock } from './promotion-lock.ts';
import { recoverPromotions } from './promotion-record.ts';
import type { Residue } from './residue.ts';
import { StagedChange, type StagedChangeOptions } from './staged-change.ts';

/** What a local writer is made from. */
export interface LocalWriterOptions {
  readonly paths: LocalPaths;
  readonly credentials: CredentialBoundary;
  readonly residue: Residue;
  /** Where promotions of several processes wait for each other; absent: only those of this process do. */
  readonly stateDir: string | undefined;
}

/** Writing of a local directory: staged beside the target, compared, renamed. */
export class LocalWriter implements WorkspaceWriter {
  readonly #options: LocalWriterOptions;
  readonly #hashes = new FileHashes();

  constructor(options: LocalWriterOptions) {
    this.#options = options;
  }

  async begin(options: CancelOptions = {}): Promise<WriteTransaction> {
    options.signal?.throwIfAborted();
    return new LocalTransaction(this.#options, this.#hashes, options.signal);
  }
}

class LocalTransaction implements WriteTransaction {
  readonly #options: LocalWriterOptions;
  readonly #hashes: FileHashes;
  readonly #signal: AbortSignal | undefined;
  readonly #changes: StagedChange[] = [];
  #open = true;

  constructor(options: LocalWriterOptions, hashes: FileHashes, signal: AbortSignal | undefined) {
    this.#options = options;
    this.#hashes = hashes;
    this.#signal = signal;
  }

  async stage(change: WorkspaceChange): Promise<void> {
    const { kind, path: shown, expected } = change;
    const staged = await this.#add({
      kind,
      shown,
      expected,
      executable: change.kind === 'delete' ? undefined : change.executable,
      mode: change.kind === 'write' ? change.mode : undefined,
    });
    if (change.kind !== 'write') return;
    const bytes = await this.#openBytes(staged);
    await this.#typed(shown, () => bytes.write(0, change.content));
  }

  async stageFile(options: StageFileOptions): Promise<StagedFile> {
    const { path: shown, expected, resumeKey } = options;
    return this.#openBytes(await this.#add({ kind: 'write', shown, expected, resumeKey }));
  }

  async promoteAll(): Promise<readonly PromotedChange[]> {
    this.#assertOpen();
    this.#signal?.throwIfAborted();
    this.#open = false;
    const { paths, stateDir } = this.#options;
    try {
      return await withPromotionLock({ root: paths.root, stateDir }, () => {
        if (stateDir !== undefined) recoverPromotions(stateDir);
        return new Promotion(paths, stateDir).run(this.#changes);
      });
    } catch (error) {
      throw toReadError(this.#changes[0]?.shown ?? '', error);
    } finally {
      await this.#discard(false);
    }
  }

  async rollback(options: { readonly keep?: boolean } = {}): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.#discard(options.keep === true);
  }

  async #add(change: Omit<StagedChangeOptions, 'target' | 'hashes'>): Promise<StagedChange> {
    this.#assertOpen();
    this.#signal?.throwIfAborted();
    const { paths, credentials } = this.#options;
    const target = paths.resolve(change.shown);
    credentials.assertPath(target.path, change.shown);
    if (target.path === '') {
      throw new ToolError('invalid_argument', 'The path is the workspace itself; name a file.', {
        reason: 'not_a_file',
      });
    }
    if (!target.exists && namesDirectory(change.shown)) throw notAFileName(change.shown);
    if (this.#changes.some((other) => other.path === target.path)) {
      throw new TypeError(`The transaction already changes ${target.path}.`);
    }
    const staged = new StagedChange({ ...change, target, hashes: this.#hashes });
    await this.#typed(change.shown, () => staged.assertStageable());
    this.#changes.push(staged);
    return staged;
  }

  #openBytes(staged: StagedChange) {
    return this.#typed(staged.shown, () => {
      const parent = existingParent(staged.absolute);
      this.#options.residue.enter(parent);
      return staged.open(new DirectoryHandle(this.#options.paths, parent, staged.shown));
    });
  }

  async #typed<T>(shown: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toReadError(shown, error);
    }
  }

  async #discard(keep: boolean): Promise<void> {
    for (const change of this.#changes) await change.discard(keep);
  }

  #assertOpen(): void {
    if (!this.#open) throw new TypeError('The transaction has ended.');
  }
}
