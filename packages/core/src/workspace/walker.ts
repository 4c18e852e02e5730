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
  /**
   * Only entries whose path below `path` matches this glob. Without `hidden` a `*` matches no dot at the beginning of
   * a name, while a dot that the glob names is found.
   */
  readonly include?: string;
  /** No entries whose path below `path` matches this glob; here `*` matches dots too. */
  readonly exclude?: string;
  /**
   * Told of each directory below `path` that could not be listed, and why, in the words of `GrepOutcome.notSearched`:
   * nothing below it was met. Default: nobody is told. Where `path` itself cannot be listed the walk fails.
   */
  readonly onUnread?: (unread: { readonly path: string; readonly reason: string }) => void;
}

/**
 * Walking a tree in one deterministic order: by the UTF-8 bytes of whole paths. Errors: `invalid_argument` with
 * `bad_glob`, `unsupported` for globs that a workspace cannot match, and those of `WorkspaceFiles` for `path`.
 */
export interface WorkspaceWalker {
  /** Batches of entries, so that a large tree costs little; ends early when the consumer stops. */
  walk(options?: WalkOptions): AsyncIterable<readonly WalkEntry[]>;
  /** Whether git's rules ignore a path; for marks in listings. */
  isIgnored(path: string, options?: CancelOptions): Promise<boolean>;
}
