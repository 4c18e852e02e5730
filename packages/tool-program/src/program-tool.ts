import { defineTool, type JsonObject, type Tool } from '@toolwright/core';
import { loadSource } from './run/load-source.ts';
import { runProgram } from './run/run-program.ts';
import { createProgramResource } from './session-programs.ts';
import type { VmPoolOptions } from './vm/vm-pool.ts';

/** Milliseconds that a program may take: default and ceiling. */
export const programTimeout = { defaultMs: 30_000, maxMs: 600_000 };
/** Calls that a program may make: default and ceiling. */
export const programCalls = { default: 20, max: 1_000 };
/** UTF-8 bytes of a program's output, and of each record's: default and ceiling. */
export const programOutput = { defaultBytes: 65_536, maxBytes: 98_304 };
/** Milliseconds after which the kernel itself ends a program, however long it waited for people: a day. */
const kernelTimeoutMs = 86_400_000;

const limits = {
  type: 'object',
  additionalProperties: false,
  description: 'Ceilings for this program; a larger number is lowered to the maximum and reported.',
  properties: {
    timeoutMs: {
      type: 'integer',
      minimum: 1,
      maximum: programTimeout.maxMs,
      'x-clamp': true,
      description:
        'Milliseconds, calls included, waiting for people not. Default 30000, at most 600000.',
    },
    maxToolCalls: {
      type: 'integer',
      minimum: 1,
      maximum: programCalls.max,
      'x-clamp': true,
      description: 'Calls of tools; further ones fail with call_limit. Default 20, at most 1000.',
    },
    maxOutputBytes: {
      type: 'integer',
      minimum: 1,
      maximum: programOutput.maxBytes,
      'x-clamp': true,
      description:
        'Bytes of the answer, and of the output in each record. Default 65536, at most 98304.',
    },
  },
} as const;

/** The `program` tool: one bounded script instead of many turns. */
export function programTool(options: VmPoolOptions = {}): Tool {
  const resource = createProgramResource(options);
  return defineTool({
    name: 'program',
    title: 'Run a program',
    description:
      'Runs a script that calls other tools, in one step: use it instead of many turns when you search, read, filter or compute over several results, or call the same tool for many things. The script defines `export default async function run(ctx, inputs)` and returns a value as JSON; give it in source, or as a workspace file in path. ctx.tool(name, args) and ctx.tools.<name>(args) answer with a record { ok, output, text, exitCode, error, metadata, structured }; a failed call is a record too, unless { throwOnError: true } is passed as third argument (second of ctx.tools.<name>). Also ctx.read, grep, bm25, search, ls, bash, git, webSearch, webFetch, verify (records), ctx.readFile (the text), ctx.glob (an array of paths), ctx.log, ctx.progress, ctx.catalog.search(query) and describe(name). Await every call, several at once with Promise.all. There are no imports, no files, no network, no timers: everything goes through ctx, and each call is governed as if you had made it. Not for a single call: make that directly.',
    keywords: [
      'script',
      'code',
      'javascript',
      'typescript',
      'loop',
      'compute',
      'automate',
      'many calls',
    ],
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['type'],
      properties: {
        type: { type: 'string', enum: ['script'], description: 'Always "script".' },
        language: {
          type: 'string',
          enum: ['javascript', 'typescript'],
          description:
            'Default: by the extension of path, else javascript. Types are erased, not checked.',
        },
        source: {
          type: 'string',
          minLength: 1,
          description: 'The script, at most 196608 bytes. Give this or path.',
        },
        path: {
          type: 'string',
          minLength: 1,
          description: 'A script of the workspace: .js, .mjs, .ts or .mts. Give this or source.',
        },
        inputs: {
          type: 'object',
          description: 'What run gets as its second argument. Default {}.',
        },
        allowed_tools: {
          type: 'array',
          maxItems: 256,
          items: { type: 'string', minLength: 1, maxLength: 64 },
          description:
            'The only tools that the script may call; a mode of search (grep, glob, bm25) allows that mode. Default: all that you may call.',
        },
        limits,
        run_id: {
          type: 'string',
          minLength: 1,
          maxLength: 128,
          description:
            'Makes the program durable: run again with the same id, script and inputs, it goes on where it was stopped, and repeats no call that it has an answer to.',
        },
      },
    },
    examples: [
      {
        type: 'script',
        source:
          'export default async function run(ctx, inputs) {\n  const files = await ctx.glob(inputs.pattern);\n  const texts = await Promise.all(files.slice(0, 10).map((file) => ctx.readFile(file)));\n  return { summary: `${files.length} files`, lines: texts.map((text) => text.split("\\n").length) };\n}',
        inputs: { pattern: 'src/**/*.ts' },
        allowed_tools: ['glob', 'read'],
      },
      {
        type: 'script',
        path: 'scripts/report.mjs',
        limits: { timeoutMs: 60_000, maxToolCalls: 100 },
      },
    ],
    uses: ['files.read'],
    orchestrator: true,
    timeoutMs: kernelTimeoutMs,
    capabilities: { maxParallelism: 8, outputKind: 'mixed' },
    effects: ({ path }) => (path === undefined ? [] : [{ kind: 'read', target: path }]),
    run: async (input, context) => {
      const services = context.resource(resource);
      services.pool.expect();
      const { limits: given = {}, inputs = {} } = input;
      const source = await loadSource(input, {
        files: context.workspace.files,
        signal: context.signal,
      });
      return runProgram(
        {
          source,
          // Arguments are JSON.
          inputs: inputs as JsonObject,
          allowedTools: input.allowed_tools,
          timeoutMs: given.timeoutMs ?? programTimeout.defaultMs,
          maxToolCalls: given.maxToolCalls ?? programCalls.default,
          maxOutputBytes: given.maxOutputBytes ?? programOutput.defaultBytes,
          runId: input.run_id,
        },
        context,
        services,
      );
    },
  });
}
