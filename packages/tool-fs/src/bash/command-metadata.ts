import type { BackgroundProcess, JsonObject, ProcessExit } from '@toolwright/core';
import type { RenderedOutput } from './render-output.ts';
import type { RunningCommand } from './running-command.ts';
import { shortLine } from './short-line.ts';

/** Processes that are named. */
const maxProcesses = 50;
/** Changed paths that are named. */
const maxChangedPaths = 500;

/** How a command ended and what its streams came to; both are null while it runs. */
export function exitMetadata(
  exit: Pick<ProcessExit, 'exitCode' | 'signal'> | null,
  rendered: RenderedOutput,
  command: RunningCommand,
): JsonObject {
  return {
    exit_code: exit?.exitCode ?? null,
    signal: exit?.signal ?? null,
    sandboxed: command.handle.sandboxed,
    stdout: rendered.stdout,
    stderr: rendered.stderr,
  };
}

/** What changed in the workspace since the command started; null where that cannot be told. */
export async function changesOf(command: RunningCommand): Promise<JsonObject> {
  const paths = await command.handle.changedPaths().catch(() => null);
  if (paths === null) return { changed_paths: null };
  if (paths.length <= maxChangedPaths) return { changed_paths: paths };
  return { changed_paths: paths.slice(0, maxChangedPaths), changed_paths_total: paths.length };
}

/** Processes of the metadata, as many and as long as it has room for. */
export function backgroundMetadata(processes: readonly BackgroundProcess[]): JsonObject {
  const told = processes
    .slice(0, maxProcesses)
    .map(({ pid, command }) => ({ pid, command: shortLine(command) }));
  return {
    background_processes: told,
    ...(told.length < processes.length ? { background_processes_total: processes.length } : {}),
  };
}
