import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { InferJsonSchema, InferSchema } from '../../src/schema/infer-input.ts';

const schema = {
  type: 'object',
  required: ['path', 'mode'],
  properties: {
    path: { type: 'string' },
    mode: { enum: ['a', 'b'] },
    kind: { const: 'x' },
    limit: { type: 'integer', default: 5 },
    ratio: { type: 'number' },
    on: { type: 'boolean' },
    none: { type: 'null' },
    maybe: { type: ['string', 'null'] },
    tags: { type: 'array', items: { type: 'string' } },
    list: { type: 'array' },
    either: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'integer' } }] },
    one: { oneOf: [{ const: 1 }, { const: 2 }] },
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
    nested: {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string' }, b: { type: 'string' } },
    },
    env: { type: 'object', additionalProperties: { type: 'string' } },
    any: {},
    reference: { $ref: '#/$defs/x' },
  },
} as const;

interface Expected {
  readonly path: string;
  readonly mode: 'a' | 'b';
  readonly kind?: 'x';
  readonly limit: number;
  readonly ratio?: number;
  readonly on?: boolean;
  readonly none?: null;
  readonly maybe?: string | null;
  readonly tags?: readonly string[];
  readonly list?: readonly unknown[];
  readonly either?: string | readonly number[];
  readonly one?: 1 | 2;
  // Shorter lists are valid too, so the places promise nothing.
  readonly pair?: readonly unknown[];
  readonly nested?: { readonly a: string; readonly b?: string };
  readonly env?: Readonly<Record<string, string>>;
  readonly any?: unknown;
  readonly reference?: unknown;
}

test('a literal gives its type: required and defaulted properties are there, others may be absent', () => {
  expectTypeOf<InferJsonSchema<typeof schema>>().toEqualTypeOf<Expected>();
  expectTypeOf<InferSchema<typeof schema>>().toEqualTypeOf<Expected>();
  const value: Expected = { path: 'a', mode: 'b', limit: 1 };
  expect(Object.keys(value)).toEqual([...schema.required, 'limit']);
});

test('an optional property cannot be undefined', () => {
  // @ts-expect-error absent is not undefined under exactOptionalPropertyTypes
  const value: InferJsonSchema<typeof schema> = { path: 'a', mode: 'a', limit: 1, on: undefined };
  expect(value.on).toBeUndefined();
});

test('a zod schema gives its output type', () => {
  const input = z.object({ a: z.string().default('x'), b: z.number().optional() });
  expectTypeOf<InferSchema<typeof input>>().toEqualTypeOf<{ a: string; b?: number | undefined }>();
  expect(input.parse({})).toEqual({ a: 'x' });
});
