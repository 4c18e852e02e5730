import type { CancelOptions } from './files.ts';
import type { ProcessHandle } from './processes.ts';

/** A git command to run, without a shell, with the repository's own hooks and programs switched off. */
export interface GitRequest extends CancelOptions {
  /** Arguments after `git`, such as `['status', '--porcelain=v2', '-z']`. */
  readonly args: readonly string[];
  /** Whether the command may change the repository or the working tree; a read-only view refuses `write`. */
  readonly access: 'read' | 'write';
  /** Workspace directory. Default: the root. */
  readonly cwd?: string;
  /** Bytes for standard input, such as a commit message or a list of paths. */
  readonly input?: Uint8Array;
}

/** Where a directory of the workspace stands in its repository. */
export interface RepositoryPlace {
  /** The workspace path of the repository's top level; null when that lies above the root. */
  readonly topLevel: string | null;
  /** The root of the workspace as seen from the top level, with a `/` at its end; `''` when they are one. */
  readonly prefix: string;
  /** It is a linked worktree (`git worktree add`). */
  readonly linked: boolean;
}

/** The git of a workspace. */
export interface WorkspaceGit {
  /** Finds the repository without starting git; null where there is none. Errors: as `run`. */
  locate(cwd?: string): Promise<RepositoryPlace | null>;
  /** Errors: `not_found` (`not_a_repository`), `permission_denied` (`outside_workspace`). */
  run(request: GitRequest): Promise<ProcessHandle>;
}
