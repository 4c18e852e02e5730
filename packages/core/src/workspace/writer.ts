import type { CancelOptions } from './files.ts';

/**
 * Which state of a path a change builds on: its bytes' SHA-256 (64 lowercase hex digits), that nothing is
 * there, or anything at all. A mismatch is `version_conflict` and nothing is written.
 */
export type ExpectedVersion =
  | { readonly kind: 'sha256'; readonly sha256: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'any' };

/** A change to stage. Missing parent directories of written paths are created on promotion. */
export type WorkspaceChange =
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly content: Uint8Array;
      readonly expected: ExpectedVersion;
      /** Sets or clears the executable bits; absent keeps what the file had. */
      readonly executable?: boolean;
      /**
       * Permission bits (`0o777` at most), where the file takes the place of one that had them under another name or
       * is put back; absent keeps what the file had.
       */
      readonly mode?: number;
    }
  | { readonly kind: 'delete'; readonly path: string; readonly expected: ExpectedVersion }
  | {
      readonly kind: 'set_executable';
      readonly path: string;
      readonly executable: boolean;
      readonly expected: ExpectedVersion;
    };

/** A staged file that is written piece by piece, out of order where wanted (a download). */
export interface StagedFile {
  /** Bytes that a kept earlier attempt left (see `StageFileOptions.resumeKey`); else 0. */
  readonly initialSize: number;
  /**
   * Reads back staged bytes, to hash what was kept. `into`: memory of at least `length` bytes that may be used for
   * them, so that reading on and on takes no more; the result is then a view of it.
   */
  read(start: number, length: number, into?: Uint8Array): Promise<Uint8Array>;
  write(position: number, bytes: Uint8Array): Promise<void>;
  truncate(size: number): Promise<void>;
  /**
   * Tells the digest of the whole content where the caller computed it while writing, which saves the workspace
   * from reading it once more. It is reported, and it is what an undo compares with.
   */
  declareSha256(sha256: string): void;
}

/** What `stageFile` needs. */
export interface StageFileOptions extends CancelOptions {
  readonly path: string;
  readonly expected: ExpectedVersion;
  /**
   * Names bytes that may outlive a failed transaction: `rollback({ keep: true })` keeps them, and a later
   * `stageFile` with the same key goes on with them. Kept bytes are private to the workspace.
   */
  readonly resumeKey?: string;
}

/** What a promotion did to one path. */
export interface PromotedChange {
  /** The real workspace path. */
  readonly path: string;
  readonly action: 'created' | 'modified' | 'deleted';
  /** SHA-256 before and after; null where nothing was or is. */
  readonly beforeSha256: string | null;
  readonly afterSha256: string | null;
}

/**
 * A set of changes that happen together or not at all, at most one change a path. Nothing is visible
 * until `promoteAll`; a transaction ends by `promoteAll` or `rollback`, and `rollback` after either does
 * nothing.
 */
export interface WriteTransaction {
  /** Checks the target and stages the bytes beside it, on disk. */
  stage(change: WorkspaceChange): Promise<void>;
  stageFile(options: StageFileOptions): Promise<StagedFile>;
  /**
   * Checks every expected version again, then makes all changes visible by atomic renames that keep mode
   * and ownership; durable when it returns. When one fails, those already made are undone and the error
   * is thrown.
   */
  promoteAll(): Promise<readonly PromotedChange[]>;
  /** Drops what was staged; `keep` retains files staged with a `resumeKey`. */
  rollback(options?: { readonly keep?: boolean }): Promise<void>;
}

/** Writing: staged, compared, promoted. Errors as for reading, and `version_conflict`. */
export interface WorkspaceWriter {
  begin(options?: CancelOptions): Promise<WriteTransaction>;
}
