import type { GramQuery } from './gram-query.ts';
import type { PathList } from './path-list.ts';

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

/** Files of a tree. */
export interface FoundFiles {
  /** All but the directories of the whole tree. */
  readonly list: PathList;
  /** Where those that were asked for stand in it, in path order. */
  readonly rows: Uint32Array;
  /** Directories that could not be listed. */
  readonly notSearched: readonly { readonly path: string; readonly reason: string }[];
}

/** Knows the files of a tree, as they were when it is asked or later. */
export interface CandidateSource {
  /** The files that may hold a match: no other file does. Undefined when it cannot say, or not in time: then all of the tree must be scanned. */
  candidates(query: CandidateQuery): Promise<FoundFiles | undefined>;
  /** All but directories. Undefined when it cannot say: then the tree must be walked. */
  entries(query: EntryQuery): Promise<FoundFiles | undefined>;
  close(): Promise<void>;
}
