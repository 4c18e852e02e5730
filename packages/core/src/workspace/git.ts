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

/** The git of a workspace. */
export interface WorkspaceGit {
  run(request: GitRequest): Promise<ProcessHandle>;
}
