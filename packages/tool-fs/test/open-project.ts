import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createHost } from '@toolwright/core';
import type { JsonObject, Session, ToolResult } from '@toolwright/core';
import { localWorkspace } from '@toolwright/workspace-local';
import { onTestFinished } from 'vitest';
import { fs } from '../src/index.ts';
import type { FsHelpers, FsOptions } from '../src/index.ts';

/** What a project is made of: content by path, links by path. */
export interface ProjectFiles {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly directories?: readonly string[];
}

/** A session on a real temporary directory, with its files at hand. */
export interface Project {
  readonly session: Session & FsHelpers;
  /** Absolute path of the root; a sibling `outside` lies beside it. */
  readonly root: string;
  readonly outside: string;
  call(tool: string, args: JsonObject): Promise<ToolResult>;
  bytes(path: string): Promise<Buffer>;
  text(path: string): Promise<string>;
  /** Names in a directory, sorted. */
  names(path?: string): Promise<string[]>;
}

/** Makes a directory, opens a session of the file tools on it, and removes both when the test ends. */
export async function openProject(
  project: ProjectFiles = {},
  options: FsOptions = {},
): Promise<Project> {
  const base = await mkdtemp(join(tmpdir(), 'toolwright-fs-'));
  const root = join(base, 'root');
  const outside = join(base, 'outside');
  await mkdir(root);
  await mkdir(outside);
  for (const path of project.directories ?? []) await mkdir(join(root, path), { recursive: true });
  for (const [path, content] of Object.entries(project.files ?? {})) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  for (const [path, target] of Object.entries(project.links ?? {})) {
    await symlink(target, join(root, path));
  }
  const session = await createHost({ providers: [fs(options)] }).open({
    workspace: localWorkspace(root),
  });
  onTestFinished(async () => {
    await session.close();
    await chmod(root, 0o755);
    await rm(base, { recursive: true, force: true });
  });
  const bytes = async (path: string): Promise<Buffer> => readFile(join(root, path));
  return {
    session,
    root,
    outside,
    call: async (tool, args) => session.tool(tool, args),
    bytes,
    text: async (path) => (await bytes(path)).toString('utf8'),
    names: async (path = '') => (await readdir(join(root, path))).toSorted(),
  };
}

/** A project of one file named `f`. */
export async function openFile(content: string | Uint8Array): Promise<Project> {
  return openProject({ files: { f: content } });
}

/** Bytes written as hex, with blanks between. */
export function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(' ', ''), 'hex');
}
