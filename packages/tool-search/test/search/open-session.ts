import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createHost, type JsonObject, type Provider, type ToolResult } from '@toolwright/core';
import { localWorkspace } from '@toolwright/workspace-local';
import { search } from '../../src/provider.ts';

/** A session on a directory of its own, gone when the test ends. */
export async function openSession(
  files: Readonly<Record<string, string | Uint8Array>>,
  more: readonly Provider[] = [],
) {
  const root = mkdtempSync(join(tmpdir(), 'search-tool-'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const host = createHost({ providers: [search(), ...more] });
  const workspace = localWorkspace(root);
  const session = await host.open({ workspace });
  return {
    root,
    session,
    search: async (args: JsonObject): Promise<ToolResult> => session.tool('search', args),
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
