import type { JsonObject, ToolDefinition } from '@toolwright/core';
import { describe, expect, test } from 'vitest';
import { assert, jsonValue, property } from 'fast-check';
import { toTypeSignatures } from '../../src/index.ts';
import { toTypeSignature } from '../../src/signatures/to-type-signatures.ts';

const tool = (properties: JsonObject, more: JsonObject = {}): ToolDefinition => ({
  name: 't',
  description: 'Does it. And more.',
  parameters: { type: 'object', properties, additionalProperties: false, ...more },
});

describe('the type of a schema', () => {
  test.each<readonly [JsonObject, string]>([
    [{ type: 'string' }, 'string'],
    [{ type: 'integer', minimum: 1 }, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{ type: 'null' }, 'null'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ enum: ['a', 'b"', 1, null, true] }, '"a" | "b\\"" | 1 | null | true'],
    [{ const: 'x' }, '"x"'],
    [{ type: 'array', items: { type: 'string' } }, 'string[]'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, 'Array<"a" | "b">'],
    [{ type: 'array' }, 'unknown[]'],
    [{ type: 'object' }, 'Record<string, unknown>'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
    [{ type: 'object', additionalProperties: false }, '{}'],
    [
      {
        type: 'object',
        required: ['a'],
        properties: { a: { type: 'string' }, 'b-c': { type: 'number' } },
      },
      '{ a: string; "b-c"?: number }',
    ],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'string' }] }, 'string | number'],
    [{ oneOf: [] }, 'never'],
    [
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } } },
          { anyOf: [{ type: 'string' }, { type: 'null' }] },
        ],
      },
      '{ a?: string } & (string | null)',
    ],
    [{ $ref: '#/$defs/name' }, 'string'],
    [{ $ref: '#/$defs/tree' }, '{ next?: unknown }'],
    [{ $ref: '#/$defs/none' }, 'unknown'],
    [{ $ref: 'https://elsewhere.test/x' }, 'unknown'],
    [{}, 'unknown'],
    [{ type: 'strange' }, 'unknown'],
  ])('%j', (schema, expected) => {
    const definitions = {
      $defs: {
        name: { type: 'string' },
        tree: { type: 'object', properties: { next: { $ref: '#/$defs/tree' } } },
      },
    };
    expect(toTypeSignature(tool({ x: schema }, definitions))).toBe(
      `t(args?: { x?: ${expected} }, options?: CallOptions): Promise<CallRecord>`,
    );
  });
});

test('a required argument makes args required; an output schema types structured', () => {
  const definition = {
    ...tool({ a: { type: 'string' } }, { required: ['a'] }),
    output: { type: 'array', items: { type: 'number' } },
  };
  expect(toTypeSignature(definition)).toBe(
    't(args: { a: string }, options?: CallOptions): Promise<CallRecord<number[]>>',
  );
});

test('the whole text, with the first sentence of each tool', () => {
  const text = toTypeSignatures([
    tool({ a: { type: 'string' } }),
    { ...tool({}), name: 'mcp__x-y', description: 'Ends */ the comment.\nNow.' },
  ]);
  expect(text).toContain(
    '  /** Does it. */\n  t(args?: { a?: string }, options?: CallOptions): Promise<CallRecord>;\n',
  );
  expect(text).toContain(
    '  /** Ends *\\/ the comment. */\n  "mcp__x-y"(args?: {}, options?: CallOptions)',
  );
  expect(text.endsWith('}\n')).toBe(true);
});

test('it is bounded: what does not fit is named, a huge schema is shortened', () => {
  const many = Array.from({ length: 50 }, (_, i) => ({
    ...tool({ a: { type: 'string' } }),
    name: `tool_${i}`,
  }));
  const text = toTypeSignatures(many, { maxUnits: 2_000 });
  expect(text).toMatch(
    /\/\/ Not shown: tool_\d+, .*tool_49\. Use ctx\.catalog\.describe\(name\)\./,
  );
  const huge = tool(
    Object.fromEntries(
      Array.from({ length: 1_000 }, (_, i) => [`property_${i}`, { type: 'string' }]),
    ),
  );
  expect(toTypeSignature(huge)).toBe(
    't(args: Record<string, unknown>, options?: CallOptions): Promise<CallRecord>',
  );
});

test('any JSON as a schema gives a text', () => {
  assert(
    property(jsonValue(), (schema) => {
      // A foreign server may send any JSON.
      const text = toTypeSignature(tool({ x: schema as JsonObject }));
      expect(text.startsWith('t(args')).toBe(true);
    }),
  );
});
