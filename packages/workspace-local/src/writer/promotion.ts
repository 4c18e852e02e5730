import {
  chmodSync,
  copyFileSync,
  linkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { versionConflict, type PromotedChange } from '@toolwright/core';
import { codeOf, type LocalPaths } from '../files/local-paths.ts';
import { DirectoryHandle, makeDirectories } from './directory-handle.ts';
import { identityOf, recordPromotion, type RecordedPromotion } from './promotion-record.ts';
import type { StagedChange } from './staged-change.ts';
import { stagingName } from './staging-name.ts';
import { withExecutable } from './staged-bytes.ts';

/** How to put back one promoted change. */
type Undo = () => void;

/** A change whose bytes are durable beside its target, and what was there is kept under another name. */
interface Prepared {
  readonly change: StagedChange;
  /** The path by which the target is reached. */
  readonly target: string;
  /** Digest of what is there; null for nothing. */
  readonly before: string | null;
  readonly after: string | null;
  /** Name of what was there, in the same directory; null for a change that needs none. */
  readonly old: string | null;
  readonly handle: DirectoryHandle;
}

/**
 * Makes staged changes visible, one atomic rename each. When one fails, those before it are put back, newest
 * first, and directories that were made for them go. Durable when it returns. Several changes are written down
 * first, where there is a state directory, so that a process which is killed between two of them leaves none.
 */
export class Promotion {
  readonly #paths: LocalPaths;
  readonly #stateDir: string | undefined;
  readonly #undo: Undo[] = [];
  readonly #leftovers: (() => void)[] = [];
  readonly #handles: DirectoryHandle[] = [];
  readonly #directories: string[] = [];

  constructor(paths: LocalPaths, stateDir: string | undefined) {
    this.#paths = paths;
    this.#stateDir = stateDir;
  }

  async run(changes: readonly StagedChange[]): Promise<readonly PromotedChange[]> {
    const isSingle = changes.length === 1;
    const promoted: PromotedChange[] = [];
    let forget: () => void = () => {};
    try {
      const prepared: Prepared[] = [];
      for (const change of changes) prepared.push(await this.#prepare(change, isSingle));
      if (!isSingle && this.#stateDir !== undefined) {
        forget = recordPromotion(this.#stateDir, this.#record(prepared));
      }
      for (const one of prepared) {
        // The others have taken their time to be prepared.
        if (!isSingle) await assertUnchanged(one);
        promoted.push(this.#promote(one));
      }
      for (const handle of this.#handles) await handle.sync();
    } catch (error) {
      for (const undo of this.#undo.reverse()) undo();
      throw error;
    } finally {
      forget();
      for (const remove of this.#leftovers) remove();
      for (const handle of this.#handles) handle.close();
    }
    return promoted;
  }

  async #prepare(change: StagedChange, isSingle: boolean): Promise<Prepared> {
    const before = await change.assertExpected();
    const directory = dirname(change.absolute);
    const made = makeDirectories(directory);
    this.#directories.push(...made);
    this.#undo.push(() => {
      for (const created of made.toReversed()) rmdirSync(created);
    });
    const handle = new DirectoryHandle(this.#paths, directory, change.shown);
    this.#handles.push(handle);
    const target = handle.at(change.name);
    const after =
      change.kind === 'write' ? await change.seal() : change.kind === 'delete' ? null : before;
    const isReplaced = before !== null && change.kind !== 'set_executable';
    const old = isReplaced && !isSingle ? this.#keepOld(handle, target) : null;
    return { change, target, before, after, old, handle };
  }

  #record(prepared: readonly Prepared[]): RecordedPromotion {
    return {
      changes: prepared.map(({ change, target, before, old }) => ({
        target: change.absolute,
        old: old === null ? null : join(dirname(change.absolute), old),
        created: change.kind === 'write' && before === null ? identityOf(change.staged()) : null,
        mode: change.kind === 'set_executable' ? statSync(target).mode & 0o7777 : null,
      })),
      directories: this.#directories,
    };
  }

  #promote({ change, target, before, after, old, handle }: Prepared): PromotedChange {
    const { path } = change;
    switch (change.kind) {
      case 'write':
        if (before === null) this.#create(change, target);
        else {
          this.#putBackFrom(handle, old, target);
          renameSync(change.staged(), target);
        }
        return {
          path,
          action: before === null ? 'created' : 'modified',
          beforeSha256: before,
          afterSha256: after,
        };
      case 'delete':
        this.#putBackFrom(handle, old, target);
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
  #keepOld(handle: DirectoryHandle, target: string): string {
    const name = stagingName('old');
    const old = handle.at(name);
    try {
      linkSync(target, old);
    } catch (error) {
      if (!isWithoutLinks(error)) throw error;
      copyFileSync(target, old);
    }
    this.#leftovers.push(() => rmSync(old, { force: true }));
    return name;
  }

  #putBackFrom(handle: DirectoryHandle, old: string | null, target: string): void {
    if (old !== null) this.#undo.push(() => renameSync(handle.at(old), target));
  }
}

/** Errors: `version_conflict`. */
async function assertUnchanged({ change, before }: Prepared): Promise<void> {
  const now = await change.assertExpected();
  if (now !== before) throw versionConflict(change.shown, before ?? 'absent', now);
}

/** Whether the file system has no hard links. */
function isWithoutLinks(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error) ?? '');
}
