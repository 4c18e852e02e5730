import { LocalGit, type GitOptions } from '../git/local-git.ts';
import { isWithin } from '../git/repository.ts';
import { changedPaths } from './changed-paths.ts';
import { LocalProcesses, type ProcessOptions } from './local-processes.ts';

/** What a host may set about commands and git. */
export interface CommandOptions {
  readonly processes?: ProcessOptions;
  readonly git?: GitOptions;
}

/** The two services that start programs: each needs the other. */
export interface LocalCommands {
  readonly processes: LocalProcesses;
  readonly git: LocalGit;
}

/** Makes the process and git services of a local workspace; nothing starts before it is used. */
export function localCommands(
  place: {
    /** Real path of the root. */
    readonly root: string;
    /** Contained real workspace path of a caller's path. */
    readonly resolvePath: (path: string) => Promise<string>;
    /** The workspace's credential files are open to tools. */
    readonly showCredentials: boolean;
  },
  options: CommandOptions,
): LocalCommands {
  const { root, resolvePath, showCredentials } = place;
  const processes = new LocalProcesses({
    ...options.processes,
    root,
    resolvePath,
    sandbox: { showCredentials, ...options.processes?.sandbox },
    changedPaths: (sinceMs) => changedPaths(git, root, sinceMs),
    // A linked worktree keeps its refs and objects elsewhere; commands may read them.
    repositoryPaths: async () => {
      const repository = await git.repository().catch(() => null);
      if (repository === null || isWithin(repository.commonDirectory, root)) return [];
      return repository.reachesOutside ? [] : [repository.commonDirectory];
    },
  });
  const git = new LocalGit({ ...options.git, root, resolvePath, processes });
  return { processes, git };
}
