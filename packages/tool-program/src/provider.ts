import {
  defineProvider,
  type CallOptions,
  type JsonObject,
  type Provider,
  type ToolResult,
} from '@toolwright/core';
import { batchTool } from './batch-tool.ts';
import { programTool } from './program-tool.ts';

/** How the family is set up. */
export interface ProgramOptions {
  /** Bytes that a script may allocate. Default 64 MiB, at least 4 MiB. */
  readonly memoryBytes?: number;
  /** Scripts that run at once in a session; further ones wait. Default 8. */
  readonly maxWorkers?: number;
}

/** A script for `session.program`: `source` or `path`. */
export interface ProgramCall {
  readonly source?: string;
  /** A file of the workspace: .js, .mjs, .ts or .mts. */
  readonly path?: string;
  readonly language?: 'javascript' | 'typescript';
  readonly inputs?: JsonObject;
  /** Default: every tool of the session, but those that run others. */
  readonly allowedTools?: readonly string[];
  readonly limits?: {
    /** Default 30,000; at most 600,000. */
    readonly timeoutMs?: number;
    /** Default 20; at most 1,000. */
    readonly maxToolCalls?: number;
    /** Default 65,536; at most 98,304. */
    readonly maxOutputBytes?: number;
  };
  /** Makes the program durable; needs a host that keeps state. */
  readonly runId?: string;
}

/** What the family adds to a session. */
export type ProgramHelpers = {
  /** Runs a script as the host's own call. A script that fails is a result, as with every tool. */
  readonly program: (call: ProgramCall, options?: CallOptions) => Promise<ToolResult>;
};

const instructions =
  'When a task takes several calls whose answers you only filter, count or combine, write one program instead of making them one by one: a script can call every tool that you can, several at once, and only what it returns comes back to you.';

/**
 * The provider of `program` and `batch`. Name it in `trustedOrchestrators` of the host as well, where the calls that
 * the host's own programs make need no leave of their own.
 */
export function program(options: ProgramOptions = {}): Provider<ProgramHelpers> {
  const { memoryBytes, maxWorkers } = options;
  if (memoryBytes !== undefined && !(memoryBytes >= 4 * 1024 * 1024)) {
    throw new TypeError(
      'memoryBytes must be at least 4194304: the engine itself takes a part of it.',
    );
  }
  if (maxWorkers !== undefined && !(Number.isInteger(maxWorkers) && maxWorkers >= 1)) {
    throw new TypeError('maxWorkers must be a whole number of at least 1.');
  }
  return defineProvider({
    name: 'program',
    version: '0.1.0',
    tools: [programTool(options), batchTool()],
    instructions,
    helpers: (session) => ({
      program: async (
        { allowedTools, runId, limits, inputs, source, path, language },
        callOptions,
      ) =>
        session.tool(
          'program',
          {
            type: 'script',
            ...(source === undefined ? {} : { source }),
            ...(path === undefined ? {} : { path }),
            ...(language === undefined ? {} : { language }),
            ...(inputs === undefined ? {} : { inputs }),
            ...(allowedTools === undefined ? {} : { allowed_tools: allowedTools }),
            ...(limits === undefined ? {} : { limits: { ...limits } }),
            ...(runId === undefined ? {} : { run_id: runId }),
          },
          callOptions,
        ),
    }),
  });
}
