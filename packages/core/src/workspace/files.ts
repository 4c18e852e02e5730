/** What a path names. Special files are listed but never opened. */
export type FileKind =
  | 'file'
  | 'directory'
  | 'symlink'
  | 'fifo'
  | 'socket'
  | 'block_device'
  | 'character_device'
  | 'unknown';

/** Facts about one path. */
export interface FileStat {
  /** The real workspace path with `/`, links followed; `''` is the root. */
  readonly path: string;
  readonly kind: FileKind;
  /** Bytes; 0 for what is no file. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly mtimeMs: number;
  /** Changes whenever the file's bytes may have changed (identity, size, times); opaque, cheap to get. */
  readonly token: string;
  /** Whether its owner may execute it. */
  readonly executable: boolean;
  /** Permission bits of a file, `0o777` at most; absent where the workspace keeps none. */
  readonly mode?: number;
  /** Hard links; more than 1 means that other names share the bytes. */
  readonly links: number;
}

/** One entry of a directory, links not followed. */
export interface DirectoryEntry {
  /** The bare name, raw. */
  readonly name: string;
  readonly kind: FileKind;
  /** Where a symlink says it points, raw; absent when it could not be read. */
  readonly linkTarget?: string;
}

/** Options of calls that may last. */
export interface CancelOptions {
  readonly signal?: AbortSignal;
}

/** Options of `FileReader.read`. */
export interface FileReadOptions extends CancelOptions {
  /**
   * Memory of the caller that may be used for the answer, which is then a view of it: whoever reads large files again and
   * again saves the system from handing out fresh memory. What does not fit into it is read without it.
   */
  readonly into?: Uint8Array;
}

/** An open regular file: what `stat` says is of the opened object, whatever the path names later. */
export interface FileReader {
  readonly stat: FileStat;
  /**
   * Bytes from `start` (0-based), at most `length`, short only at the end of the file. The returned array
   * belongs to the caller.
   */
  read(start: number, length: number, options?: FileReadOptions): Promise<Uint8Array>;
  close(): Promise<void>;
}

/**
 * Reading. Paths are workspace-relative with `/`, or absolute inside the root; `''` and `.` are the root.
 * Errors: `not_found`; `permission_denied` with `outside_workspace` (also a link that leaves the root or
 * dangles) or `credential`; `invalid_argument` for a NUL, for blanks alone and for a special file or a
 * directory where a file is wanted (`not_a_file`) or the other way round (`not_a_directory`).
 */
export interface WorkspaceFiles {
  /** Links followed unless `followLinks` is false. */
  stat(
    path: string,
    options?: CancelOptions & { readonly followLinks?: boolean },
  ): Promise<FileStat>;
  /** Entries sorted by the UTF-8 bytes of their names. */
  list(path: string, options?: CancelOptions): Promise<readonly DirectoryEntry[]>;
  /** Opens a regular file without blocking; a FIFO or device is refused. */
  openRead(path: string, options?: CancelOptions): Promise<FileReader>;
}
