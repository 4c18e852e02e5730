import type { CancelOptions } from './files.ts';

/** How a pattern is to be read. */
export interface GrepPattern {
  /** A regular expression of the linear-time dialect, or plain text. */
  readonly pattern: string;
  /** Take the pattern as plain text. */
  readonly literal: boolean;
  readonly caseSensitive: boolean;
  /** Let a match span lines. */
  readonly multiline: boolean;
}

/** What to gather of the matches. */
export interface GrepGather {
  /** Lines with text, or only how many there are in each file. */
  readonly gather: 'lines' | 'counts';
  /** Lines before and after each match. */
  readonly context: number;
  /** Matching lines to give out (`lines`), in path order; everything is counted all the same. */
  readonly limit: number;
  /** Give out only what comes after this match (`line` is 1-based) and the lines of `context` after it, in path order. */
  readonly after?: { readonly path: string; readonly line: number };
  /** Milliseconds until the scan answers with what it has. */
  readonly timeoutMs: number;
}

/** What to look for, and where. */
export interface GrepRequest extends GrepPattern, GrepGather, CancelOptions {
  /** Workspace path of a directory or a file. */
  readonly path: string;
  /** Only files whose path below `path` matches this glob. */
  readonly include?: string;
  readonly hidden: boolean;
  readonly ignore: boolean;
  /**
   * Tell of files that are no UTF-8 (`GrepOutcome.undecoded`): of those with a match, or, where the pattern is about
   * characters that bytes alone do not show, of all; the latter are not searched. Default: of none.
   */
  readonly undecoded?: 'matched' | 'all';
}

/** A text to search that is no file, such as an artifact. */
export interface GrepTextRequest extends GrepPattern, GrepGather, CancelOptions {
  /** What it is called in the outcome. */
  readonly name: string;
  readonly content: Uint8Array;
}

/** One line of a file that matched, or stands beside a match. */
export interface GrepLine {
  /** 1-based. */
  readonly line: number;
  /** Decoded text without its line ending, cut around the match when long. */
  readonly text: string;
  readonly match: boolean;
  /** For the first line of a match that spans several: the last of them. */
  readonly endLine?: number;
}

/** What a scan found in one file. */
export interface GrepFile {
  readonly path: string;
  /** Matching lines in the whole file. */
  readonly matchingLines: number;
  /** Empty for `counts`, and for files that no part of the page is from. */
  readonly lines: readonly GrepLine[];
}

/** What a scan found, in path order, and what it did not cover. */
export interface GrepOutcome {
  /** Files with a match, each once. */
  readonly files: readonly GrepFile[];
  /** Matching lines in all of the files. */
  readonly matchingLines: number;
  /** The limit cut the lines: more come after the last one. */
  readonly more: boolean;
  /** The deadline or a bound cut the scan: totals are lower bounds. */
  readonly truncated: boolean;
  /**
   * What was not searched, and why: `deadline`, `permission`, `credential`, `binary` (it matched before a NUL
   * was met), `encoding`, `too_large`, `line_too_long`, `gone`, `unreadable`. A directory stands for all below it.
   */
  readonly notSearched: readonly { readonly path: string; readonly reason: string }[];
  /** Files that are no UTF-8, in path order, where the request asks for them: the caller may decode and search them. */
  readonly undecoded?: readonly string[];
}

/**
 * The engine that scans a workspace; optional. Errors: `invalid_argument` with `bad_pattern` or `bad_glob`, those of
 * `WorkspaceFiles` for `path`, and what `signal` was aborted with.
 */
export interface WorkspaceSearch {
  grep(request: GrepRequest): Promise<GrepOutcome>;
  grepText(request: GrepTextRequest): Promise<GrepOutcome>;
  /** Releases workers and indexes that the session's use built. */
  close(): Promise<void>;
}
