import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, defineProvider, type Session, type Tool } from '@toolwright/core';
import { localWorkspace, type LocalWorkspaceOptions } from '@toolwright/workspace-local';

/** A session on a fresh directory. */
export interface OpenedSession {
  readonly session: Session;
  readonly root: string;
  /** Ends the session and the workspace, and removes the directory. */
  close(): Promise<void>;
}

/** Opens a session with the given tools on a fresh directory of its own. */
export async function openSession(
  tools: readonly Tool[],
  options: LocalWorkspaceOptions = {},
): Promise<OpenedSession> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'tw-fs-')));
  const workspace = localWorkspace(base, options);
  const provider = defineProvider({ name: 'commands', version: '0.0.0', tools });
  const host = createHost({ providers: [provider] });
  const session = await host.open({ workspace });
  return {
    session,
    root: base,
    close: async () => {
      await session.close();
      await workspace.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}
