import type { CancelOptions } from './files.ts';

/** What to look for, and where. */
export interface GrepRequest extends CancelOptions {
  readonly pattern: string;
  /** Take the pattern as plain text. */
  readonly literal: boolean;
  readonly caseSensitive: boolean;
  /** Let a match span lines. */
  readonly multiline: boolean;
  /** Workspace path of a directory or a file. */
  readonly path: string;
  /** Only paths that match this glob. */
  readonly include?: string;
  readonly hidden: boolean;
  readonly ignore: boolean;
  /** What to gather: lines with text, only per-file counts, or only which files match. */
  readonly gather: 'lines' | 'counts' | 'files';
  /** Lines before and after each match. */
  readonly context: number;
  /** Stop after this many matching lines (`lines`) or files, in path order. */
  readonly limit: number;
  /** Go on after this place, in path order; `line` is 1-based. */
  readonly after?: { readonly path: string; readonly line: number };
  /** Milliseconds until the scan answers with what it has. */
  readonly timeoutMs: number;
}

/** One line of a file that matched, or stands beside a match. */
export interface GrepLine {
  /** 1-based. */
  readonly line: number;
  /** Decoded text without its line ending, cut around the match when long. */
  readonly text: string;
  readonly match: boolean;
}

/** What a scan found in one file. */
export interface GrepFile {
  readonly path: string;
  /** Matching lines in the whole file (`counts`), or those gathered. */
  readonly matchingLines: number;
  readonly lines: readonly GrepLine[];
}

/** What a scan found, in path order, and what it did not cover. */
export interface GrepOutcome {
  readonly files: readonly GrepFile[];
  /** The limit cut the answer: more follows `after` the last line. */
  readonly more: boolean;
  /** The deadline or a bound cut the scan. */
  readonly truncated: boolean;
  /** What was not searched: `path`, or a reason such as `timeout`. */
  readonly notSearched: readonly { readonly path: string; readonly reason: string }[];
}

/** An engine that scans a workspace faster than reading file by file; optional. */
export interface WorkspaceSearch {
  grep(request: GrepRequest): Promise<GrepOutcome>;
  /** Releases workers and indexes that the session's use built. */
  close(): Promise<void>;
}
