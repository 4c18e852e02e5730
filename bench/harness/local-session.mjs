import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ours } from './packages.mjs';

/** A fresh temporary folder; `remove` takes it away with all it holds. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-bench-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Opens a session of the file and process tools on a directory; calls go through the whole kernel. */
export async function openLocalSession(folder) {
  const { createHost } = await ours('core');
  const { localWorkspace } = await ours('workspace-local');
  const { fs } = await ours('tool-fs');
  return createHost({ providers: [fs()] }).open({ workspace: localWorkspace(folder) });
}

/** The result of a host's call; throws when the tool failed. */
export async function call(session, name, args) {
  const result = await session.tool(name, args);
  if (result.error !== null) throw new Error(`${name}: ${result.error.message}`);
  return result;
}
