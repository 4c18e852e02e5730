import type { CancelOptions, FileReader, WorkspaceFiles } from '../workspace/files.ts';
import type { SpawnRequest, WorkspaceProcesses } from '../workspace/processes.ts';
import type { WorkspaceSearch } from '../workspace/search.ts';
import type { WorkspaceWalker } from '../workspace/walker.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { CapabilityId } from '../services/services.ts';
import { assertPath } from './assert-path.ts';
import { guardedGit } from './guarded-git.ts';
import { guardedProcess } from './guarded-process.ts';
import { guardedWriter } from './guarded-writer.ts';
import { callSignal, type ViewGuard } from './view-guard.ts';

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
      named.has('processes') && {
        processes: guardedProcesses(processes, workspace, guard),
      }),
    ...(git !== undefined && named.has('git') && { git: guardedGit(git, workspace, guard) }),
    ...(search !== undefined &&
      named.has('search') && { search: guardedSearch(search, workspace, guard) }),
    ...(local !== undefined &&
      named.has('local') && { local: Object.freeze({ root: local.root }) }),
  };
}

function guardedFiles(files: WorkspaceFiles, guard: ViewGuard): WorkspaceFiles {
  const bound = <T extends CancelOptions>(options: T | undefined) => ({
    ...options,
    signal: callSignal(options?.signal, guard),
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
      const forget = await guard.opened.keep(
        () => reader.close(),
        () => {
          guard.assertAlive();
          guard.grants.assertRead(reader.stat.path);
        },
      );
      return guardedReader(reader, guard, forget);
    },
  };
}

function guardedReader(reader: FileReader, guard: ViewGuard, forget: () => void): FileReader {
  return {
    stat: reader.stat,
    read: async (start, length, options) => {
      guard.assertAlive();
      return reader.read(start, length, options);
    },
    close: () => {
      forget();
      return reader.close();
    },
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
        signal: callSignal(options.signal, guard),
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

function guardedProcesses(
  processes: WorkspaceProcesses,
  workspace: Workspace,
  guard: ViewGuard,
): WorkspaceProcesses {
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
      const { cwd = '' } = request;
      if (cwd !== '' && !guard.grants.shows(cwd)) {
        guard.grants.assertRead(await workspace.resolvePath(cwd));
      }
      return guardedProcess(await processes.spawn(request), guard);
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
      return search.grep({ ...request, signal: callSignal(request.signal, guard) });
    },
    grepText: async (request) => {
      guard.assertAlive();
      return search.grepText({ ...request, signal: callSignal(request.signal, guard) });
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
