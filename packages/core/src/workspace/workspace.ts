import type { WorkspaceFiles } from './files.ts';
import type { WorkspaceGit } from './git.ts';
import type { WorkspaceProcesses } from './processes.ts';
import type { WorkspaceSearch } from './search.ts';
import type { WorkspaceWalker } from './walker.ts';
import type { WorkspaceWriter } from './writer.ts';

/** A real directory behind the workspace; nothing but this service may assume one. */
export interface WorkspaceLocal {
  /** The absolute real path of the root. Never shown to models. */
  readonly root: string;
}

/** What each workspace capability offers. */
export interface WorkspaceServices {
  readonly 'files.read': WorkspaceFiles;
  readonly 'files.write': WorkspaceWriter;
  readonly 'files.walk': WorkspaceWalker;
  readonly processes: WorkspaceProcesses;
  readonly git: WorkspaceGit;
  readonly search: WorkspaceSearch;
  readonly local: WorkspaceLocal;
}

/** A workspace capability. */
export type WorkspaceCapability = keyof WorkspaceServices;

/** How paths of a workspace compare: whether `A` and `a` name one file, and whether Unicode forms do. */
export interface PathFolding {
  readonly caseInsensitive: boolean;
  readonly unicodeInsensitive: boolean;
}

/**
 * What a session works on, as optional services. A workspace moves bytes; text is for `documents`. It
 * enforces containment and the credential boundary for every caller.
 */
export interface Workspace {
  /** A stable name for humans; no path. */
  readonly name: string;
  readonly files?: WorkspaceFiles;
  readonly writer?: WorkspaceWriter;
  readonly walker?: WorkspaceWalker;
  readonly processes?: WorkspaceProcesses;
  readonly git?: WorkspaceGit;
  readonly search?: WorkspaceSearch;
  readonly local?: WorkspaceLocal;
  readonly folding: PathFolding;
  /**
   * The real workspace path that a caller's path names, for policy and locks: links followed as far as
   * the path exists, the rest taken as it is; `''` is the root. Errors as `WorkspaceFiles`, but a missing
   * path is none.
   */
  resolvePath(path: string): Promise<string>;
  /**
   * Releases what the workspace holds (workers, brokers, kept indexes); idempotent, and a later use takes
   * them again. The last session that is open on a workspace calls it when it closes.
   */
  close(): Promise<void>;
}

/** The field of a workspace under which a capability's service stands. */
export interface WorkspaceFields {
  readonly 'files.read': 'files';
  readonly 'files.write': 'writer';
  readonly 'files.walk': 'walker';
  readonly processes: 'processes';
  readonly git: 'git';
  readonly search: 'search';
  readonly local: 'local';
}

/** {@link WorkspaceFields} as a value, in the order in which capabilities are listed. */
export const workspaceFields: WorkspaceFields = Object.freeze({
  'files.read': 'files',
  'files.write': 'writer',
  'files.walk': 'walker',
  processes: 'processes',
  git: 'git',
  search: 'search',
  local: 'local',
});
