import type { ProcessHandle } from '../workspace/processes.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { watchedProcess } from '../workspace/watched-process.ts';

/** What was seen of a workspace's use. */
export interface WorkspaceRecord {
  /** Operations that were begun. */
  readonly operations: number;
  /** Real paths that were changed, each as often as it was. */
  readonly written: readonly string[];
  /** Readers that are open and transactions that were neither promoted nor rolled back. */
  readonly open: number;
  /** Processes that were started, by git too, and not closed. */
  readonly processes: number;
}

/** A workspace that counts what is done to it; `onOperation` is told before each operation. */
export function recordingWorkspace(
  workspace: Workspace,
  onOperation: (nth: number) => void = () => {},
): { readonly workspace: Workspace; record(): WorkspaceRecord } {
  let operations = 0;
  const written: string[] = [];
  const open = new Set<object>();
  const processes = new Set<object>();
  const follow = (handle: ProcessHandle): ProcessHandle => {
    processes.add(handle);
    return watchedProcess(handle, () => void processes.delete(handle));
  };
  const note = (): void => {
    operations += 1;
    onOperation(operations);
  };
  const { files, writer, processes: commands, git } = workspace;
  return {
    record: () => ({
      operations,
      written: [...written],
      open: open.size,
      processes: processes.size,
    }),
    workspace: {
      ...workspace,
      resolvePath: (path) => workspace.resolvePath(path),
      close: () => workspace.close(),
      ...(commands !== undefined && {
        processes: {
          // Whether there is a sandbox may be found out on the first question, at a cost.
          get sandbox() {
            return commands.sandbox;
          },
          shell: commands.shell,
          spawn: async (request) => {
            note();
            return follow(await commands.spawn(request));
          },
        },
      }),
      ...(git !== undefined && {
        git: {
          locate: (cwd) => git.locate(cwd),
          run: async (request) => follow(await git.run(request)),
        },
      }),
      ...(files !== undefined && {
        files: {
          stat: async (path, options) => {
            note();
            return files.stat(path, options);
          },
          list: async (path, options) => {
            note();
            return files.list(path, options);
          },
          openRead: async (path, options) => {
            note();
            const reader = await files.openRead(path, options);
            open.add(reader);
            return {
              stat: reader.stat,
              read: async (start, length, how) => {
                note();
                return reader.read(start, length, how);
              },
              close: async () => {
                open.delete(reader);
                return reader.close();
              },
            };
          },
        },
      }),
      ...(writer !== undefined && {
        writer: {
          begin: async (options) => {
            note();
            const transaction = await writer.begin(options);
            open.add(transaction);
            return {
              stage: async (change) => {
                note();
                return transaction.stage(change);
              },
              stageFile: async (file) => {
                note();
                return transaction.stageFile(file);
              },
              promoteAll: async () => {
                note();
                const changes = await transaction.promoteAll();
                open.delete(transaction);
                written.push(...changes.map(({ path }) => path));
                return changes;
              },
              rollback: async (how) => {
                open.delete(transaction);
                return transaction.rollback(how);
              },
            };
          },
        },
      }),
    },
  };
}
