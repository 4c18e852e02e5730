import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ToolError, type Workspace } from '@toolwright/core';
import type { McpClient } from './mcp-client.ts';

/**
 * A workspace in which only what lies in both, the workspace and the roots that the client shares, has a path. A client
 * that shares no roots, or one that holds the whole workspace, narrows nothing; one whose roots lie elsewhere leaves
 * nothing. What runs as a command is not confined by it: policy decides about commands.
 */
export function narrowToRoots(workspace: Workspace, client: Pick<McpClient, 'roots'>): Workspace {
  const root = workspace.local?.root;
  if (root === undefined) return workspace;
  const insides = new Map<readonly string[], Promise<readonly string[]>>();
  const insideOf = (uris: readonly string[]): Promise<readonly string[]> => {
    let inside = insides.get(uris);
    if (inside === undefined) {
      insides.clear();
      inside = Promise.all(uris.map((uri) => placeOf(uri, root))).then((places) =>
        places.filter((place) => place !== undefined),
      );
      insides.set(uris, inside);
    }
    return inside;
  };
  return {
    ...workspace,
    resolvePath: async (path) => {
      const real = await workspace.resolvePath(path);
      const uris = await client.roots();
      if (uris === undefined) return real;
      const inside = await insideOf(uris);
      if (inside.some((place) => place === '' || real === place || real.startsWith(`${place}/`))) {
        return real;
      }
      const allowed = inside.map((place) => JSON.stringify(place)).join(', ');
      throw new ToolError(
        'permission_denied',
        `${JSON.stringify(path)} is outside of the roots that the MCP client shares; ${
          allowed === '' ? 'none of them lies in this workspace' : `stay inside ${allowed}`
        }.`,
        { reason: 'outside_workspace', fields: { path } },
      );
    },
  };
}

/** Where a root lies in the workspace: `''` when it holds all of it, undefined when it lies elsewhere. */
async function placeOf(uri: string, root: string): Promise<string | undefined> {
  let path: string;
  try {
    path = await realpath(fileURLToPath(uri));
  } catch {
    // No such directory on this machine.
    return undefined;
  }
  if (isBelow(relative(path, root))) return '';
  const place = relative(root, path);
  return isBelow(place) ? place.split(sep).join('/') : undefined;
}

function isBelow(path: string): boolean {
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}
