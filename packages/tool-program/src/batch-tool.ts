import { defineTool, type JsonObject, type Tool } from '@toolwright/core';
import { toBatchOutput } from './batch/batch-report.ts';
import { runBatch } from './batch/run-batch.ts';

/** Calls of a batch at most. */
export const maxBatchCalls = 32;
/** Calls of a batch that are under way at once: default and ceiling. */
export const batchConcurrency = { default: 8, max: 16 };
/** Steps of a batch. */
const maxStep = 32;
/** Milliseconds after which the kernel itself ends a batch, its calls' own waiting for people not counted. */
const kernelTimeoutMs = 600_000;

/** The `batch` tool: several calls in one, with what they need of each other. */
export function batchTool(): Tool {
  return defineTool({
    name: 'batch',
    title: 'Make several calls',
    description:
      'Makes up to 32 calls of other tools in one: use it for calls that you already know, such as reading several files. They run side by side as far as they do not touch the same things. A call can take a part of another one\'s result: give that one an id and write { "$ref": "id.output" } (or id.structured.…, id.metadata.…, id.output_lines.0, list items by number) in place of a value; it then waits for it, and is skipped when it fails. step orders calls without such a part: a step begins when all before it have ended. Answers stand under a heading each. To decide by what a call answers, or to loop, use program instead.',
    keywords: ['parallel', 'several calls', 'many', 'at once', 'pipeline'],
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['invocations'],
      properties: {
        invocations: {
          type: 'array',
          minItems: 1,
          maxItems: maxBatchCalls,
          description: 'The calls, 1 to 32.',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['tool', 'args'],
            properties: {
              tool: {
                type: 'string',
                minLength: 1,
                maxLength: 64,
                description: 'Name of the tool.',
              },
              args: {
                type: 'object',
                description: 'Its arguments; a value can be { "$ref": "id.path" }.',
              },
              id: {
                type: 'string',
                minLength: 1,
                maxLength: 64,
                description: 'A name for references.',
              },
              step: {
                type: 'integer',
                minimum: 1,
                maximum: maxStep,
                description: '1 to 32, default 1: it begins when all lower steps have ended.',
              },
            },
          },
        },
        max_concurrency: {
          type: 'integer',
          minimum: 1,
          maximum: batchConcurrency.max,
          'x-clamp': true,
          description: 'Calls under way at once. Default 8, at most 16.',
        },
      },
    },
    examples: [
      {
        invocations: [
          { tool: 'read', args: { file_path: 'package.json' } },
          { tool: 'read', args: { file_path: 'README.md' } },
        ],
      },
      {
        invocations: [
          { tool: 'search', args: { mode: 'glob', query: 'src/**/*.test.ts' }, id: 'tests' },
          { tool: 'read', args: { file_path: { $ref: 'tests.output_lines.0' } } },
        ],
      },
    ],
    orchestrator: true,
    timeoutMs: kernelTimeoutMs,
    capabilities: { maxParallelism: 8, outputKind: 'mixed' },
    effects: () => [],
    run: async (
      { invocations, max_concurrency: requested = batchConcurrency.default },
      context,
    ) => {
      const applied = Math.min(requested, invocations.length);
      const outcomes = await runBatch(
        // Arguments are JSON.
        invocations.map(({ args, ...rest }) => ({ ...rest, args: args as JsonObject })),
        context,
        applied,
      );
      const clamped = context.clamped.find(({ path }) => path === '/max_concurrency');
      return toBatchOutput(outcomes, {
        context,
        requestedConcurrency: Number(clamped?.from ?? requested),
        appliedConcurrency: applied,
      });
    },
  });
}
