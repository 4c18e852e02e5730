import type { WalkEntry } from '@toolwright/core';
import type { GramQuery } from './gram-query.ts';

/** Which files are asked for: those that git does not ignore below a directory, hidden ones too, by globs. */
export interface EntryQuery {
  /** Workspace path of a directory; `''` is the root. */
  readonly start: string;
  readonly include: string | undefined;
  readonly exclude: string | undefined;
  readonly hidden: boolean;
}

/** Which files a search is about, and what they must hold. */
export interface CandidateQuery extends EntryQuery {
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
  /** All but directories, in path order. Undefined when it cannot say: then the tree must be walked. */
  entries(query: EntryQuery): Promise<readonly WalkEntry[] | undefined>;
  close(): Promise<void>;
}
