import type { CancelOptions, FileKind } from './files.ts';

/** One entry met by a walk; links are not followed. */
export interface WalkEntry {
  /** Workspace path with `/`, raw. */
  readonly path: string;
  readonly kind: FileKind;
}

/** What to walk. */
export interface WalkOptions extends CancelOptions {
  /** Where to begin. Default: the root. */
  readonly path?: string;
  /** Apply ignore files as git does (nested, negated, global). Default true. `.git` is never entered. */
  readonly ignore?: boolean;
  /** Include names that begin with a dot. Default true. */
  readonly hidden?: boolean;
  /** Also tell of directories. Default false: files and links alone. */
  readonly directories?: boolean;
  /** Levels below `path`; 1 is its own entries. Default: no limit. */
  readonly maxDepth?: number;
}

/** Walking a tree in one deterministic order: depth first, names of a directory by their UTF-8 bytes. */
export interface WorkspaceWalker {
  /** Batches of entries, so that a large tree costs little; ends early when the consumer stops. */
  walk(options?: WalkOptions): AsyncIterable<readonly WalkEntry[]>;
  /** Whether git's rules ignore a path; for marks in listings. */
  isIgnored(path: string, options?: CancelOptions): Promise<boolean>;
}
