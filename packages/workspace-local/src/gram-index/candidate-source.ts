import type { GramQuery } from './gram-query.ts';

/** Which files a query is about, and what they must hold. */
export interface CandidateQuery {
  /** Workspace path of a directory; `''` is the root. */
  readonly start: string;
  readonly include: string | undefined;
  readonly hidden: boolean;
  readonly grams: GramQuery;
}

/** The files that may hold a match, in path order: no other file does. */
export interface Candidates {
  readonly paths: readonly string[];
  /** Directories that could not be listed. */
  readonly notSearched: readonly { readonly path: string; readonly reason: string }[];
}

/** Knows the files of a tree, as they were when it is asked or later. */
export interface CandidateSource {
  /** Undefined when it cannot say, or not in time: then all of the tree must be scanned. */
  candidates(query: CandidateQuery): Promise<Candidates | undefined>;
  close(): Promise<void>;
}
