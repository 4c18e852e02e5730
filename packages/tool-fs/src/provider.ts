import { defineProvider } from '@toolwright/core';
import type { JsonObject, Provider, HelperSession, ToolResult } from '@toolwright/core';
import { bashJobTool } from './bash-job.ts';
import { bashTool, type BashOptions } from './bash.ts';
import { editTool } from './edit.ts';
import { gitTool } from './git.ts';
import { lsTool } from './ls.ts';
import { patchTool } from './patch.ts';
import { readTool } from './read.ts';
import type { ReadOptions } from './read.ts';
import { readWholeFile } from './read/read-whole-file.ts';
import { writeTool } from './write.ts';

/** How the family is set up. */
export interface FsOptions extends ReadOptions {
  readonly bash?: BashOptions;
}

/** Options of `session.writeFile`; see the `write` tool. */
export interface WriteFileOptions {
  /** Bytes of the file before the chunk: appends instead of overwriting. */
  readonly appendAt?: number;
  /** sha256 of the file as it was read, or `absent`. */
  readonly ifMatch?: string;
  /** Default false. */
  readonly dryRun?: boolean;
}

/** One replacement for `session.editFile`. */
export interface FileEdit {
  readonly oldString: string;
  readonly newString: string;
  /** Default false. */
  readonly replaceAll?: boolean;
}

/** Options of `session.editFile`; see the `edit` tool. */
export interface EditFileOptions {
  /** sha256 of the file as it was read. */
  readonly ifMatch?: string;
  /** Default false. */
  readonly dryRun?: boolean;
  readonly expectedReplacements?: number;
  readonly maxReplacements?: number;
}

/** Options of `session.ls`; see the `ls` tool. */
export interface ListOptions {
  readonly depth?: number;
  readonly limit?: number;
  readonly cursor?: string;
  readonly hidden?: boolean;
  readonly ignore?: boolean;
}

/** Options of `session.patchFile`; see the `patch` tool. */
export interface PatchFileOptions {
  /** The one file that all hunks are for; file names in the diff are then ignored. */
  readonly path?: string;
  /** sha256, or `absent`, by path. */
  readonly ifMatch?: Readonly<Record<string, string>>;
  /** Default false. */
  readonly dryRun?: boolean;
}

/** Options of `session.bash`; see the `bash` tool. */
export interface BashCallOptions {
  /** Milliseconds. Default 120,000. */
  readonly timeoutMs?: number;
  readonly cwd?: string;
}

/** What the family adds to a session: calls of the host itself. */
export type FsHelpers = {
  /** The whole text of a file. Errors: `ToolError`, that of the call which failed. */
  readonly readFile: (path: string) => Promise<string>;
  readonly writeFile: (
    path: string,
    content: string,
    options?: WriteFileOptions,
  ) => Promise<ToolResult>;
  readonly ls: (path?: string, options?: ListOptions) => Promise<ToolResult>;
  readonly editFile: (
    path: string,
    edits: FileEdit | readonly FileEdit[],
    options?: EditFileOptions,
  ) => Promise<ToolResult>;
  readonly patchFile: (diff: string, options?: PatchFileOptions) => Promise<ToolResult>;
  readonly bash: (command: string, options?: BashCallOptions) => Promise<ToolResult>;
  /** Calls `git`, such as `session.git('diff', { staged: true })`. */
  readonly git: (command: string, args?: JsonObject) => Promise<ToolResult>;
};

const INSTRUCTIONS =
  'Paths are relative to the workspace root and use "/". Read a file before you change it, and change it with edit: give just enough lines that the place is the only one of its kind. When an edit is refused, the answer shows the closest text; copy from there instead of guessing. Pass the sha256 of a read as if_match where the file may have changed since.';

function helpers(session: HelperSession): FsHelpers {
  return {
    readFile: async (path) => readWholeFile(session, path),
    writeFile: async (path, content, { appendAt, ifMatch, dryRun } = {}) =>
      session.tool('write', {
        file_path: path,
        content,
        ...(appendAt === undefined ? {} : { mode: 'append', expected_offset: appendAt }),
        ...(ifMatch === undefined ? {} : { if_match: ifMatch }),
        ...(dryRun === undefined ? {} : { dry_run: dryRun }),
      }),
    ls: async (path, options = {}) =>
      session.tool('ls', { ...(path === undefined ? {} : { path }), ...options }),
    editFile: async (path, edits, options = {}) => {
      const { ifMatch, dryRun, expectedReplacements, maxReplacements } = options;
      const list: readonly FileEdit[] = 'oldString' in edits ? [edits] : edits;
      return session.tool('edit', {
        file_path: path,
        edits: list.map(({ oldString, newString, replaceAll = false }) => ({
          old_string: oldString,
          new_string: newString,
          replace_all: replaceAll,
        })),
        ...(ifMatch === undefined ? {} : { if_match: ifMatch }),
        ...(dryRun === undefined ? {} : { dry_run: dryRun }),
        ...(expectedReplacements === undefined
          ? {}
          : { expected_replacements: expectedReplacements }),
        ...(maxReplacements === undefined ? {} : { max_replacements: maxReplacements }),
      });
    },
    patchFile: async (diff, { path, ifMatch, dryRun } = {}) =>
      session.tool('patch', {
        diff,
        ...(path === undefined ? {} : { file_path: path }),
        ...(ifMatch === undefined ? {} : { if_match: ifMatch }),
        ...(dryRun === undefined ? {} : { dry_run: dryRun }),
      }),
    git: async (command, args = {}) => session.tool('git', { ...args, command }),
    bash: async (command, { timeoutMs, cwd } = {}) =>
      session.tool('bash', {
        command,
        ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
        ...(cwd === undefined ? {} : { cwd }),
      }),
  };
}

/** A provider of the file tools and its typed conveniences for hosts. */
export function fs(options: FsOptions = {}): Provider<FsHelpers> {
  return defineProvider({
    name: 'fs',
    version: '0.1.0',
    tools: [
      readTool(options),
      lsTool(),
      writeTool(),
      editTool(),
      patchTool(),
      bashTool(options.bash),
      bashJobTool(),
      gitTool(),
    ],
    instructions: INSTRUCTIONS,
    helpers,
  });
}
