import type { WorkspaceChange, WorkspaceWriter } from '../workspace/writer.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { assertPath } from './assert-path.ts';
import { callSignal, type ViewGuard } from './view-guard.ts';

/** A writer that refuses undeclared paths before anything is staged, and tells of what it promotes. */
export function guardedWriter(
  writer: WorkspaceWriter,
  workspace: Workspace,
  guard: ViewGuard,
): WorkspaceWriter {
  return {
    begin: async (options) => {
      guard.assertAlive();
      guard.grants.assertNotReadOnly('write');
      const transaction = await writer.begin({ signal: callSignal(options?.signal, guard) });
      const forget = await guard.opened.keep(() => transaction.rollback(), guard.assertAlive);
      const paths: string[] = [];
      const admit = async (path: string): Promise<void> => {
        guard.assertAlive();
        assertPath(path);
        const real = await workspace.resolvePath(path);
        guard.grants.assertWrite(real);
        paths.push(real);
      };
      return {
        // Copies: what was admitted is what is staged, whatever becomes of the tool's own object.
        stage: async (change) => {
          const taken = takeChange(change);
          await admit(taken.path);
          return transaction.stage(taken);
        },
        stageFile: async (file) => {
          const taken = { ...file, expected: { ...file.expected } };
          await admit(taken.path);
          const staged = await transaction.stageFile(taken);
          return {
            initialSize: staged.initialSize,
            read: (start, length, into) => staged.read(start, length, into),
            write: async (position, bytes) => {
              guard.assertAlive();
              return staged.write(position, bytes);
            },
            truncate: async (size) => {
              guard.assertAlive();
              return staged.truncate(size);
            },
            declareSha256: (sha256) => staged.declareSha256(sha256),
          };
        },
        promoteAll: async () => {
          guard.assertAlive();
          await guard.writes.beforePromote(paths);
          guard.assertAlive();
          const promotion = transaction.promoteAll();
          guard.writes.track(promotion);
          const changes = await promotion;
          forget();
          guard.writes.promoted(changes);
          return changes;
        },
        rollback: (rollback) => {
          forget();
          return transaction.rollback(rollback);
        },
      };
    },
  };
}

function takeChange(change: WorkspaceChange): WorkspaceChange {
  const taken = { ...change, expected: { ...change.expected } };
  return taken.kind === 'write' ? { ...taken, content: new Uint8Array(taken.content) } : taken;
}
