import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  type BigIntStats,
} from 'node:fs';
import { basename } from 'node:path';
import {
  pathNotFound,
  sha256Hex,
  ToolError,
  versionConflict,
  type ExpectedVersion,
  type WorkspaceChange,
} from '@toolwright/core';
import { kindOf } from '../files/file-stat.ts';
import { assertRegular } from '../files/local-files.ts';
import { codeOf, type ResolvedPath } from '../files/local-paths.ts';
import type { DirectoryHandle } from './directory-handle.ts';
import type { FileHashes } from './file-hash.ts';
import { StagedBytes } from './staged-bytes.ts';
import { keptName, stagingName } from './staging-name.ts';

/** What a staged change is made from. */
export interface StagedChangeOptions {
  readonly kind: WorkspaceChange['kind'];
  readonly shown: string;
  readonly target: ResolvedPath;
  readonly expected: ExpectedVersion;
  readonly executable?: boolean | undefined;
  readonly mode?: number | undefined;
  readonly resumeKey?: string | undefined;
  readonly hashes: FileHashes;
}

/** One change of a transaction: checked, and its bytes on disk beside the target. */
export class StagedChange {
  readonly kind: WorkspaceChange['kind'];
  /** The path as the caller wrote it. */
  readonly shown: string;
  /** The real workspace path. */
  readonly path: string;
  readonly absolute: string;
  readonly name: string;
  readonly executable: boolean | undefined;
  readonly #mode: number | undefined;
  readonly #expected: ExpectedVersion;
  readonly #hashes: FileHashes;
  readonly #resumeKey: string | undefined;
  #handle: DirectoryHandle | undefined;
  #stagingName = '';
  #bytes: StagedBytes | undefined;

  constructor(options: StagedChangeOptions) {
    this.kind = options.kind;
    this.shown = options.shown;
    this.path = options.target.path;
    this.absolute = options.target.absolute;
    this.name = basename(options.target.absolute);
    this.executable = options.executable;
    this.#mode = options.mode;
    this.#expected = options.expected;
    this.#hashes = options.hashes;
    this.#resumeKey = options.resumeKey;
  }

  /**
   * The digest of what the target holds now, null for nothing. Errors: `version_conflict` when that is not what
   * the change builds on, `not_found`, `invalid_argument` (`not_a_file`).
   */
  async assertExpected(): Promise<string | null> {
    const stat = this.#assertKind();
    const actual = stat === undefined ? null : await this.#hashes.hash(this.absolute);
    const expected = this.#expected;
    if (expected.kind === 'absent' && actual !== null) {
      throw versionConflict(this.shown, 'absent', actual);
    }
    if (expected.kind === 'sha256' && expected.sha256 !== actual) {
      throw versionConflict(this.shown, expected.sha256, actual);
    }
    return actual;
  }

  /**
   * Refuses early what `assertExpected` would refuse. The target's bytes are read only where the change builds on some
   * state of them. Errors: as `assertExpected`.
   */
  async assertStageable(): Promise<void> {
    if (this.#expected.kind === 'any') this.#assertKind();
    else await this.assertExpected();
  }

  /** Opens the file for the bytes, in a directory that exists; goes on with one kept under the resume key. */
  async open(handle: DirectoryHandle): Promise<StagedBytes> {
    this.#handle = handle;
    this.#stagingName = stagingName('new');
    const kept =
      this.#resumeKey === undefined ? undefined : this.#takeKept(handle, this.#resumeKey);
    this.#bytes = await StagedBytes.open(this.staged(), kept);
    return this.#bytes;
  }

  /** Makes the bytes durable under the mode and owner that the target will have; their digest. */
  async seal(): Promise<string> {
    const bytes = this.#bytes;
    if (bytes === undefined) throw new TypeError('Only a change with bytes can be sealed.');
    const sha256 = await bytes.sha256();
    await bytes.adopt(this.#stat(), { executable: this.executable, mode: this.#mode });
    await bytes.seal();
    return sha256;
  }

  /** The path of the staged bytes. */
  staged(): string {
    if (this.#handle === undefined) throw new TypeError('Nothing is staged.');
    return this.#handle.at(this.#stagingName);
  }

  /** Drops or keeps what is staged, and lets go of the directory. */
  async discard(keep: boolean): Promise<void> {
    await this.#bytes?.close();
    if (this.#handle === undefined) return;
    try {
      if (keep && this.#resumeKey !== undefined) {
        renameSync(this.staged(), this.#handle.at(keptName(sha256Hex(this.#resumeKey))));
      } else unlinkSync(this.staged());
    } catch (error) {
      // After a promotion the staged name is gone; on a file system that is read-only it never came.
      if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EROFS') throw error;
    } finally {
      this.#handle.close();
      this.#handle = undefined;
    }
  }

  #takeKept(handle: DirectoryHandle, resumeKey: string): { readonly size: number } | undefined {
    const kept = handle.at(keptName(sha256Hex(resumeKey)));
    try {
      const stat = lstatSync(kept);
      if (!stat.isFile()) return undefined;
      renameSync(kept, this.staged());
      return { size: stat.size };
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  #assertKind(): BigIntStats | undefined {
    const stat = this.#stat();
    if (stat !== undefined) assertRegular(kindOf(stat), this.shown);
    if (stat === undefined && this.kind !== 'write') throw pathNotFound(this.shown);
    if (stat !== undefined && this.kind === 'write') assertWritable(this.absolute);
    return stat;
  }

  #stat(): BigIntStats | undefined {
    try {
      return lstatSync(this.absolute, { bigint: true });
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      if (codeOf(error) === 'ENOTDIR') {
        throw new ToolError(
          'invalid_argument',
          `${JSON.stringify(this.shown)} goes through a file where a directory is wanted.`,
          { reason: 'not_a_directory', fields: { path: this.shown } },
        );
      }
      throw error;
    }
  }
}

/**
 * Refuses a file whose own permissions close it to the writer: taking its place asks for those of the directory alone.
 * Throws what `open` throws.
 */
function assertWritable(absolute: string): void {
  const { O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    closeSync(openSync(absolute, O_WRONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0)));
  } catch (error) {
    // A program that runs can be replaced, though not written to; what is gone by now is told by the comparison.
    if (['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')) throw error;
  }
}
