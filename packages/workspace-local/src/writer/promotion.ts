import {
  chmodSync,
  copyFileSync,
  linkSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { versionConflict, type PromotedChange } from '@toolwright/core';
import { codeOf, type LocalPaths } from '../files/local-paths.ts';
import { DirectoryHandle, makeDirectories } from './directory-handle.ts';
import type { StagedChange } from './staged-change.ts';
import { stagingName } from './staging-name.ts';
import { withExecutable } from './staged-bytes.ts';

/** How to put back one promoted change. */
type Undo = () => void;

/**
 * Makes staged changes visible, one atomic rename each. When one fails, those before it are put back, newest
 * first, and directories that were made for them go. Durable when it returns.
 */
export class Promotion {
  readonly #paths: LocalPaths;
  readonly #single: boolean;
  readonly #undo: Undo[] = [];
  readonly #leftovers: (() => void)[] = [];
  readonly #handles: DirectoryHandle[] = [];

  constructor(paths: LocalPaths, changes: number) {
    this.#paths = paths;
    this.#single = changes === 1;
  }

  async run(changes: readonly StagedChange[]): Promise<readonly PromotedChange[]> {
    const promoted: PromotedChange[] = [];
    try {
      for (const change of changes) promoted.push(await this.#promote(change));
      for (const handle of this.#handles) await handle.sync();
    } catch (error) {
      for (const undo of this.#undo.reverse()) undo();
      throw error;
    } finally {
      for (const remove of this.#leftovers) remove();
      for (const handle of this.#handles) handle.close();
    }
    return promoted;
  }

  async #promote(change: StagedChange): Promise<PromotedChange> {
    const before = await change.assertExpected();
    const { path, absolute, shown } = change;
    const directory = dirname(absolute);
    const made = makeDirectories(directory);
    this.#undo.push(() => {
      for (const created of made.toReversed()) rmdirSync(created);
    });
    const handle = new DirectoryHandle(this.#paths, directory, shown);
    this.#handles.push(handle);
    const target = handle.at(change.name);
    switch (change.kind) {
      case 'write': {
        const afterSha256 = await change.seal();
        if (before === null) this.#create(change, target);
        else {
          this.#keepOld(handle, target);
          renameSync(change.staged(), target);
        }
        return {
          path,
          action: before === null ? 'created' : 'modified',
          beforeSha256: before,
          afterSha256,
        };
      }
      case 'delete':
        this.#keepOld(handle, target);
        unlinkSync(target);
        return { path, action: 'deleted', beforeSha256: before, afterSha256: null };
      case 'set_executable': {
        const mode = statSync(target).mode & 0o7777;
        chmodSync(target, withExecutable(mode, change.executable));
        this.#undo.push(() => chmodSync(target, mode));
        return { path, action: 'modified', beforeSha256: before, afterSha256: before };
      }
    }
  }

  /** A new file appears whole or not at all, and never over one that came meanwhile. */
  #create(change: StagedChange, target: string): void {
    try {
      linkSync(change.staged(), target);
      unlinkSync(change.staged());
    } catch (error) {
      if (codeOf(error) === 'EEXIST') throw versionConflict(change.shown, 'absent', 'another file');
      if (!isWithoutLinks(error)) throw error;
      renameSync(change.staged(), target);
    }
    this.#undo.push(() => unlinkSync(target));
  }

  /** Where more than one file changes, keeps the old one under another name until all have. */
  #keepOld(handle: DirectoryHandle, target: string): void {
    if (this.#single) return;
    const old = handle.at(stagingName('old'));
    try {
      linkSync(target, old);
    } catch (error) {
      if (!isWithoutLinks(error)) throw error;
      copyFileSync(target, old);
    }
    let put = false;
    this.#undo.push(() => {
      renameSync(old, target);
      put = true;
    });
    this.#leftovers.push(() => {
      if (!put) unlinkSync(old);
    });
  }
}

/** Whether the file system has no hard links. */
function isWithoutLinks(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error) ?? '');
}
