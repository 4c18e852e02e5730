import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import {
  memoryWorkspace,
  type CapabilityId,
  type Provider,
  type Workspace,
} from '@toolwright/core';
import { localWorkspace } from '@toolwright/workspace-local';

/** What a workspace in memory does not have. */
const needsDirectory: ReadonlySet<CapabilityId> = new Set(['processes', 'git', 'search', 'local']);

/**
 * Makes fresh workspaces with the files of a folder, where there is one: in memory, or in a temporary directory for a
 * provider with tools that need one. `close` removes what is left.
 */
export function fixtureWorkspaces(
  fixture: string | undefined,
  provider: Provider,
): { readonly open: () => Workspace; readonly close: () => void } {
  const isLocal = provider.tools.some(({ requires }) =>
    requires.some((id) => needsDirectory.has(id)),
  );
  if (!isLocal) {
    const files = fixture === undefined ? {} : readFiles(fixture);
    return { open: () => memoryWorkspace({ files }), close: () => {} };
  }
  const base = mkdtempSync(join(tmpdir(), 'toolwright-check-'));
  return {
    open: () => {
      const root = mkdtempSync(join(base, 'workspace-'));
      if (fixture !== undefined) cpSync(fixture, root, { recursive: true });
      return localWorkspace(root);
    },
    close: () => rmSync(base, { recursive: true, force: true }),
  };
}

function readFiles(folder: string): Record<string, Uint8Array> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [relative(folder, path).replaceAll(sep, '/'), readFileSync(path)] as const);
  return Object.fromEntries(entries);
}
