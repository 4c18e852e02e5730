import { statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import {
  outsideWorkspace,
  ToolError,
  type GitRequest,
  type ProcessHandle,
  type RepositoryPlace,
  type WorkspaceGit,
} from '@toolwright/core';
import type { LocalProcesses } from '../processes/local-processes.ts';
import { findRepository, realOr, type Repository } from './repository.ts';
import {
  fixedSettings,
  includesFiles,
  overrideSettings,
  parseSettings,
  withoutDiffPrograms,
  type GitSetting,
} from './repository-programs.ts';
import { declaredSubmodules, gitlinkPaths, maxSubmodules } from './submodules.ts';

/** What a host may set about git. */
export interface GitOptions {
  /** Lets hooks, filters and other programs of the repository's own configuration run. Default false. */
  readonly trustRepository?: boolean;
}

/** What the service needs of its workspace. */
export interface LocalGitOptions extends GitOptions {
  /** Real path of the root. */
  readonly root: string;
  /** Contained real workspace path of a caller's path. */
  readonly resolvePath: (path: string) => Promise<string>;
  readonly processes: LocalProcesses;
}

interface KnownSettings {
  readonly stamp: string;
  readonly overrides: readonly string[];
}

/**
 * The git binary on a local workspace, without a shell. Nothing that a repository's configuration or
 * attributes name is run, no transport is open, nobody is asked for anything; the user's own global
 * configuration counts as trusted.
 */
export class LocalGit implements WorkspaceGit {
  readonly #options: LocalGitOptions;
  readonly #known = new Map<string, KnownSettings>();

  constructor(options: LocalGitOptions) {
    this.#options = options;
  }

  /** The repository that a directory of the workspace belongs to; null when there is none. */
  async repository(cwd = ''): Promise<Repository | null> {
    const { root, resolvePath } = this.#options;
    return findRepository(root, join(root, await resolvePath(cwd)));
  }

  async locate(cwd = ''): Promise<RepositoryPlace | null> {
    const repository = await this.repository(cwd);
    if (repository === null) return null;
    const { root } = this.#options;
    const { topLevel, gitDirectory, commonDirectory, reachesOutside } = repository;
    return {
      topLevel: reachesOutside ? null : relative(root, topLevel).split(sep).join('/'),
      prefix: reachesOutside ? `${relative(topLevel, root).split(sep).join('/')}/` : '',
      linked: gitDirectory !== commonDirectory,
    };
  }

  async run(request: GitRequest): Promise<ProcessHandle> {
    const repository = await this.repository(request.cwd);
    if (repository === null) {
      throw new ToolError('not_found', 'There is no git repository here; make one with git init.', {
        reason: 'not_a_repository',
      });
    }
    if (request.access === 'write' && repository.reachesOutside) {
      throw new ToolError(
        'permission_denied',
        'The repository reaches outside the workspace; open its top level to change it.',
        { reason: 'outside_workspace' },
      );
    }
    const settings = await this.#guard(repository, request);
    const handle = await this.#spawn(repository, settings, request);
    if (request.input !== undefined) void feed(handle, request.input);
    return handle;
  }

  async #guard(repository: Repository, request: GitRequest): Promise<readonly string[]> {
    if (this.#options.trustRepository === true) {
      return ['core.pager=cat', 'core.editor=true', 'color.ui=false'];
    }
    const { signal, access } = request;
    const overrides = await this.#overrides(repository, signal);
    const index = access === 'write' ? await this.#indexOverrides(repository, signal) : [];
    return [...fixedSettings, ...overrides, ...index];
  }

  #spawn(
    repository: Repository,
    settings: readonly string[],
    request: Omit<GitRequest, 'access'> & { readonly access?: GitRequest['access'] },
  ): Promise<ProcessHandle> {
    const args = [
      '--no-pager',
      ...settings.flatMap((setting) => ['-c', setting]),
      ...withoutDiffPrograms(request.args),
    ];
    return this.#options.processes.spawn({
      command: { kind: 'program', file: 'git', args },
      cwd: request.cwd ?? '',
      sandbox: 'unconfined',
      input: request.input === undefined ? 'closed' : 'pipe',
      env: environment(repository, request.access === 'write'),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
  }

  /** Reading them costs a process, so they are kept until one of the files has changed. */
  async #overrides(
    repository: Repository,
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    const key = repository.gitDirectory;
    const stamp = stampOf(repository);
    const known = this.#known.get(key);
    if (known?.stamp === stamp) return known.overrides;
    const local = await this.#settings(repository, ['--local'], signal);
    const worktree = local.some(isWorktreeConfig)
      ? await this.#settings(repository, ['--worktree'], signal)
      : [];
    assertOwnWorktree(repository, [...local, ...worktree]);
    const submodules = await this.#submodules(repository, signal);
    const own = overrideSettings([...local, ...worktree, ...submodules.settings]);
    if (own === null) throw cannotSwitchOff();
    const overrides = [...own, ...submodules.ignore];
    const stable = !includesFiles([...local, ...worktree]) && submodules.ignore.length === 0;
    if (stable) this.#known.set(key, { stamp, overrides });
    return overrides;
  }

  /** The programs of declared submodules, and whether git may look into them. */
  async #submodules(
    repository: Repository,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly settings: readonly GitSetting[]; readonly ignore: readonly string[] }> {
    const file = join(repository.topLevel, '.gitmodules');
    if (!exists(file)) return { settings: [], ignore: [] };
    const declared = declaredSubmodules(await this.#settings(repository, ['--file', file], signal));
    const settings: GitSetting[] = [];
    const ignore = new Map<string, string>();
    for (const [index, { name, path }] of declared.entries()) {
      const directory = join(repository.topLevel, path);
      const inside = index < maxSubmodules ? this.#submodule(directory) : null;
      ignore.set(name, inside === null ? 'dirty' : 'none');
      if (inside === null) continue;
      settings.push(...(await this.#submoduleSettings(inside, signal)));
      const nested = join(directory, '.gitmodules');
      if (!exists(nested)) continue;
      // What a submodule declares itself has not been looked at, so git does not look into it.
      for (const { name: below } of declaredSubmodules(
        await this.#settings(repository, ['--file', nested], signal),
      )) {
        ignore.set(below, 'dirty');
      }
    }
    return {
      settings,
      ignore: [...ignore].map(([name, mode]) => `submodule.${name}.ignore=${mode}`),
    };
  }

  /**
   * The overrides for all submodules of the index, declared or not: `add` and what builds on it look into
   * each, whatever is configured.
   */
  async #indexOverrides(
    repository: Repository,
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    const listing = await this.#read(repository, ['ls-files', '--stage', '-z'], signal);
    const paths = gitlinkPaths(listing);
    if (paths.length > maxSubmodules) {
      throw new ToolError(
        'unsupported',
        `More than ${maxSubmodules} submodules cannot be guarded.`,
      );
    }
    const settings: GitSetting[] = [];
    for (const path of paths) {
      const inside = this.#submodule(join(repository.topLevel, path));
      if (inside !== null) settings.push(...(await this.#submoduleSettings(inside, signal)));
    }
    const overrides = overrideSettings(settings);
    if (overrides === null) throw cannotSwitchOff();
    return overrides;
  }

  #submoduleSettings(
    submodule: Repository,
    signal: AbortSignal | undefined,
  ): Promise<readonly GitSetting[]> {
    const file = join(submodule.gitDirectory, 'config');
    return this.#settings(submodule, ['--includes', '--file', file], signal);
  }

  /** A submodule that is checked out where it says, else null. */
  #submodule(directory: string): Repository | null {
    try {
      const found = findRepository(this.#options.root, directory);
      return found?.topLevel === directory ? found : null;
    } catch {
      return null;
    }
  }

  async #settings(
    repository: Repository,
    from: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<readonly GitSetting[]> {
    return parseSettings(await this.#read(repository, ['config', ...from, '--list', '-z'], signal));
  }

  async #read(
    repository: Repository,
    args: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const handle = await this.#spawn(repository, fixedSettings, {
      args,
      ...(signal === undefined ? {} : { signal }),
    });
    const chunks: Uint8Array[] = [];
    for await (const { stream, bytes } of handle.output)
      if (stream === 'stdout') chunks.push(new Uint8Array(bytes));
    await handle.exit;
    return Buffer.concat(chunks).toString('utf8');
  }
}

function environment(repository: Repository, writes: boolean): Record<string, string> {
  const above = join(repository.topLevel, '..');
  return {
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: writes ? '1' : '0',
    // git finds the repository that was checked, or none.
    GIT_CEILING_DIRECTORIES: above,
    // No transport: neither hooks into the network nor helpers of a remote.
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1',
    GIT_TERMINAL_PROMPT: '0',
  };
}

async function feed(handle: ProcessHandle, input: Uint8Array): Promise<void> {
  try {
    await handle.writeInput(input);
    await handle.endInput();
  } catch {
    // git ended without reading it all; its exit code says why
  }
}

/** A configured worktree elsewhere would let git read and write outside the workspace. */
function assertOwnWorktree(repository: Repository, settings: readonly GitSetting[]): void {
  for (const { key, value } of settings) {
    if (key.toLowerCase() !== 'core.worktree' || value === null) continue;
    const worktree = realOr(resolve(repository.gitDirectory, value));
    if (worktree !== repository.topLevel) throw outsideWorkspace(worktree);
  }
}

function isWorktreeConfig({ key, value }: GitSetting): boolean {
  return key.toLowerCase() === 'extensions.worktreeconfig' && value !== 'false';
}

function stampOf(repository: Repository): string {
  return [
    join(repository.commonDirectory, 'config'),
    join(repository.gitDirectory, 'config.worktree'),
    join(repository.topLevel, '.gitmodules'),
  ]
    .map((path) => {
      try {
        const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
        return `${ino}.${size}.${mtimeNs}.${ctimeNs}`;
      } catch {
        return '-';
      }
    })
    .join(' ');
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function cannotSwitchOff(): ToolError {
  return new ToolError(
    'permission_denied',
    "The repository's configuration names programs in a form that cannot be switched off; remove them from .git/config.",
    { reason: 'repository_programs' },
  );
}
