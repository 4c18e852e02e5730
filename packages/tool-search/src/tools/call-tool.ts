import {
  defineTool,
  ToolError,
  type JsonObject,
  type Tool,
  type ToolResult,
} from '@toolwright/core';
import { tagSafeJson } from './describe-found.ts';

/**
 * The `call_tool` tool: calls a tool that `tool_search` found, where the list of tools must not change between the
 * turns of a model. It passes through every stage of the kernel as a call of its own.
 */
export function callTool(): Tool {
  return defineTool({
    name: 'call_tool',
    title: 'Call a found tool',
    description:
      'Calls a tool that tool_search has found and that is not listed by itself. Give its exact name and the arguments that its schema asks for; when they do not fit, the answer holds the schema. Call listed tools directly, not through this.',
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['name', 'arguments'],
      properties: {
        name: { type: 'string', minLength: 1, description: 'The name as tool_search gave it.' },
        arguments: {
          type: 'object',
          description: 'The arguments of that tool, by its own schema.',
          additionalProperties: true,
        },
      },
    },
    examples: [{ name: 'mcp__github__create_issue', arguments: { title: 'Crash on start' } }],
    orchestrator: true,
    effects: () => [],
    run: async ({ name, arguments: args }, context) => {
      const entry = context.catalog.entries().find((each) => each.name === name);
      if (entry?.state === 'deferred' && !entry.loaded) {
        throw new ToolError(
          'unknown_tool',
          `${name} is not loaded yet; call tool_search with the query "select:${name}" and then call it again.`,
          { reason: 'not_loaded', fields: { load_with: `select:${name}` } },
        );
      }
      // The kernel has validated that this is an object of JSON.
      const result = await context.invoke({ name, arguments: args as JsonObject });
      if (result.error === null) return passOn(result);
      const isMisfit = result.error.type === 'invalid_argument' && entry !== undefined;
      const { type, message, reason, retryable } = result.error;
      throw new ToolError(type, message, {
        ...(reason === undefined ? {} : { reason }),
        retryable,
        fields: fieldsOf(result.error),
        output: isMisfit
          ? `${result.output}\nIts schema: ${tagSafeJson({ parameters: entry.parameters })}`
          : result.output,
        metadata: metadataOf(result),
      });
    },
  });
}

function passOn(result: ToolResult) {
  return {
    output: result.output,
    ...(result.structured === undefined ? {} : { structured: result.structured }),
    ...(result.content === undefined ? {} : { content: result.content }),
    metadata: metadataOf(result),
    trust: result.trust,
    exitCode: result.exit_code,
  };
}

/** The called tool's own facts; evidence is about bytes, and this result gets its own. */
function metadataOf(result: ToolResult): JsonObject {
  const {
    a3s_tool_result_evidence: _evidence,
    a3s_tool_result_transform_binding: _binding,
    ...facts
  } = result.metadata;
  return { ...facts, called: { name: result.name, id: result.id } };
}

const commonFields = new Set(['type', 'message', 'reason', 'retryable', 'stage', 'detail']);

function fieldsOf(error: NonNullable<ToolResult['error']>): JsonObject {
  const fields: Record<string, JsonObject[string]> = {};
  for (const [key, value] of Object.entries(error)) {
    if (!commonFields.has(key) && value !== undefined) fields[key] = value;
  }
  return fields;
}
