import type { CancelOptions, FileReader, WorkspaceFiles } from '../workspace/files.ts';
import type { WorkspaceGit } from '../workspace/git.ts';
import type { SpawnRequest, WorkspaceProcesses } from '../workspace/processes.ts';
import type { WorkspaceSearch } from '../workspace/search.ts';
import type { WorkspaceWalker } from '../workspace/walker.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { CapabilityId } from '../services/services.ts';
import type { EffectGrants } from './effect-grants.ts';
import { assertPath } from './assert-path.ts';
import { guardedWriter, type WriteObserver } from './guarded-writer.ts';

/** What a view is bound to. */
export interface ViewGuard {
  readonly grants: EffectGrants;
  /** Throws once the call has ended or was cancelled. */
  readonly assertAlive: () => void;
  readonly signal: AbortSignal;
  readonly writes: WriteObserver;
}

/** A view of the workspace: only the services that the tool named, doing only what the call declared. */
export function guardedWorkspace(
  workspace: Workspace,
  named: ReadonlySet<CapabilityId>,
  guard: ViewGuard,
): Workspace {
  const { files, writer, walker, processes, git, search, local } = workspace;
  return {
    name: workspace.name,
    // Copies: what a tool does to them must not reach the workspace.
    folding: Object.freeze({ ...workspace.folding }),
    resolvePath: async (path) => {
      guard.assertAlive();
      return workspace.resolvePath(path);
    },
    close: async () => {},
    ...(files !== undefined && named.has('files.read') && { files: guardedFiles(files, guard) }),
    ...(writer !== undefined &&
      named.has('files.write') && { writer: guardedWriter(writer, workspace, guard) }),
    ...(walker !== undefined &&
      named.has('files.walk') && { walker: guardedWalker(walker, workspace, guard) }),
    ...(processes !== undefined &&
      named.has('processes') && { processes: guardedProcesses(processes, guard) }),
    ...(git !== undefined && named.has('git') && { git: guardedGit(git, guard) }),
    ...(search !== undefined &&
      named.has('search') && { search: guardedSearch(search, workspace, guard) }),
    ...(local !== undefined &&
      named.has('local') && { local: Object.freeze({ root: local.root }) }),
  };
}

function guardedFiles(files: WorkspaceFiles, guard: ViewGuard): WorkspaceFiles {
  const bound = <T extends CancelOptions>(options: T | undefined) => ({
    ...options,
    signal: options?.signal ?? guard.signal,
  });
  return {
    stat: async (path, options) => {
      guard.assertAlive();
      assertPath(path);
      const stat = await files.stat(path, bound(options));
      guard.grants.assertRead(stat.path);
      return stat;
    },
    list: async (path, options) => {
      guard.assertAlive();
      assertPath(path);
      const stat = await files.stat(path, bound(options));
      guard.grants.assertRead(stat.path);
      return files.list(path, bound(options));
    },
    openRead: async (path, options) => {
      guard.assertAlive();
      assertPath(path);
      const reader = await files.openRead(path, bound(options));
      try {
        guard.grants.assertRead(reader.stat.path);
      } catch (error) {
        await reader.close();
        throw error;
      }
      return guardedReader(reader, guard);
    },
  };
}

function guardedReader(reader: FileReader, guard: ViewGuard): FileReader {
  return {
    stat: reader.stat,
    read: async (start, length, options) => {
      guard.assertAlive();
      return reader.read(start, length, options);
    },
    close: () => reader.close(),
  };
}

function guardedWalker(
  walker: WorkspaceWalker,
  workspace: Workspace,
  guard: ViewGuard,
): WorkspaceWalker {
  return {
    async *walk(given = {}) {
      guard.assertAlive();
      const options = { ...given };
      assertPath(options.path ?? '');
      guard.grants.assertReadTree(await workspace.resolvePath(options.path ?? ''));
      for await (const batch of walker.walk({
        ...options,
        signal: options.signal ?? guard.signal,
      })) {
        guard.assertAlive();
        yield batch;
      }
    },
    isIgnored: async (path, options) => {
      guard.assertAlive();
      return walker.isIgnored(path, options);
    },
  };
}

function guardedProcesses(processes: WorkspaceProcesses, guard: ViewGuard): WorkspaceProcesses {
  return {
    // Whether there is a sandbox may be found out on the first question, at a cost.
    get sandbox() {
      return processes.sandbox;
    },
    shell: processes.shell,
    spawn: async (given) => {
      guard.assertAlive();
      guard.grants.assertNotReadOnly('run a command');
      const request = takeSpawn(given);
      guard.grants.assertExec(request);
      return processes.spawn(request);
    },
  };
}

function guardedGit(git: WorkspaceGit, guard: ViewGuard): WorkspaceGit {
  return {
    locate: async (cwd) => {
      guard.assertAlive();
      return git.locate(cwd);
    },
    run: async (given) => {
      guard.assertAlive();
      // A copy: what was judged is what runs, whatever becomes of the tool's own object.
      const request = { ...given, args: [...given.args] };
      if (request.access === 'write') guard.grants.assertSomeWrite('change the git repository');
      else guard.grants.assertRead(request.cwd ?? '');
      return git.run({ ...request, signal: request.signal ?? guard.signal });
    },
  };
}

function guardedSearch(
  search: WorkspaceSearch,
  workspace: Workspace,
  guard: ViewGuard,
): WorkspaceSearch {
  return {
    grep: async (given) => {
      guard.assertAlive();
      const request = { ...given };
      assertPath(request.path);
      const path = await workspace.resolvePath(request.path);
      const kind = (await workspace.files?.stat(request.path))?.kind;
      if (kind === 'file') guard.grants.assertRead(path);
      else guard.grants.assertReadTree(path);
      return search.grep({ ...request, signal: request.signal ?? guard.signal });
    },
    grepText: async (request) => {
      guard.assertAlive();
      return search.grepText({ ...request, signal: request.signal ?? guard.signal });
    },
    close: async () => {},
  };
}

/** A copy, its command too: what was judged is what runs, whatever becomes of the tool's own object. */
function takeSpawn(given: SpawnRequest): SpawnRequest {
  const taken = { ...given };
  const { command, env } = taken;
  const request = env === undefined ? taken : { ...taken, env: takeVariables(env) };
  if (command.kind === 'shell') return { ...request, command: { ...command } };
  const { kind, file, args } = command;
  return { ...request, command: { kind, file, args: [...args] } };
}

/** Variables as the texts that a program gets. */
function takeVariables(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const given: readonly [string, unknown][] = Object.entries(env);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}
