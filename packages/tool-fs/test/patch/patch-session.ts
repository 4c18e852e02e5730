import {
  createHost,
  defineProvider,
  type Session,
  type ToolResult,
  type Workspace,
} from '@toolwright/core';
import { patchTool } from '../../src/patch.ts';

const provider = defineProvider({ name: 'patch', version: '0.0.0', tools: [patchTool()] });

/** A session on a workspace with the patch tool alone. */
export async function openPatchSession(workspace: Workspace): Promise<Session> {
  return createHost({ providers: [provider] }).open({ workspace });
}

/** One call of `patch` on a workspace, as the host. */
export async function callPatch(
  workspace: Workspace,
  input: {
    readonly diff: string;
    readonly file_path?: string;
    readonly if_match?: Readonly<Record<string, string>>;
    readonly dry_run?: boolean;
  },
  signal?: AbortSignal,
): Promise<ToolResult> {
  const session = await openPatchSession(workspace);
  try {
    return await session.tool('patch', input, signal === undefined ? {} : { signal });
  } finally {
    await session.close();
  }
}

/** The files of a workspace by path: their bytes in hex where they are no ASCII, else their text. */
export async function filesOf(workspace: Workspace): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const open = [''];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const { name, kind } of (await workspace.files?.list(path)) ?? []) {
      const child = path === '' ? name : `${path}/${name}`;
      if (kind === 'directory') open.push(child);
      else found[child] = await contentOf(workspace, child);
    }
  }
  return found;
}

/** A file's bytes in hex, or its text when all of it is ASCII. */
export async function contentOf(workspace: Workspace, path: string): Promise<string> {
  const reader = await workspace.files?.openRead(path);
  if (reader === undefined) throw new TypeError('The workspace has no files.');
  try {
    const bytes = Buffer.from(await reader.read(0, reader.stat.size));
    return bytes.every((byte) => byte < 128) ? bytes.toString('latin1') : bytes.toString('hex');
  } finally {
    await reader.close();
  }
}
