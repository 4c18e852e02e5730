import { expect, test } from 'vitest';
import { z } from 'zod';
import type { SchemaInput } from '../../src/schema/infer-input.ts';
import { toInputSchema, toOutputSchema } from '../../src/schema/to-json-schema.ts';

function convert(input: unknown, examples: readonly unknown[] = []): unknown {
  // Inputs that the types refuse are tested too.
  return toInputSchema(input as SchemaInput, { tool: 't', examples });
}

function expectFrozen(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  expect(Object.isFrozen(value)).toBe(true);
  Object.values(value).forEach(expectFrozen);
}

test('a plain schema is closed wherever it lists its properties, and frozen', () => {
  const schema = convert({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      edits: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
      env: { type: 'object', additionalProperties: { type: 'string' } },
      any: { type: 'object' },
      open: { type: 'object', properties: { a: true }, additionalProperties: true },
      both: { allOf: [{ properties: { a: true } }, { properties: { b: true } }] },
      one: { oneOf: [{ type: 'object', properties: { a: true } }, { type: 'null' }] },
    },
  });
  expect(schema).toEqual({
    type: 'object',
    properties: {
      edits: {
        type: 'array',
        items: {
          type: 'object',
          properties: { a: { type: 'string' } },
          additionalProperties: false,
        },
      },
      env: { type: 'object', additionalProperties: { type: 'string' } },
      any: { type: 'object' },
      open: { type: 'object', properties: { a: true }, additionalProperties: true },
      both: { allOf: [{ properties: { a: true } }, { properties: { b: true } }] },
      one: {
        oneOf: [
          { type: 'object', properties: { a: true }, additionalProperties: false },
          { type: 'null' },
        ],
      },
    },
    additionalProperties: false,
  });
  expectFrozen(schema);
  expect(convert({ type: 'object' })).toEqual({
    type: 'object',
    properties: {},
    additionalProperties: false,
  });
});

test('a zod schema becomes the same form, defaults, descriptions and x-clamp kept', () => {
  const input = z.object({
    path: z.string().min(1).describe('A path.'),
    mode: z.enum(['a', 'b']).default('a'),
    limit: z.number().int().min(1).max(200).optional().meta({ 'x-clamp': true }),
    nested: z.object({ on: z.boolean().nullable() }).optional(),
    mail: z.email().optional(),
    map: z.record(z.string(), z.number()).optional(),
    tuple: z.tuple([z.string(), z.number()]).optional(),
  });
  expect(convert(input)).toMatchObject({
    type: 'object',
    required: ['path'],
    additionalProperties: false,
    properties: {
      path: { type: 'string', minLength: 1, description: 'A path.' },
      mode: { enum: ['a', 'b'], default: 'a' },
      limit: { type: 'integer', minimum: 1, maximum: 200, 'x-clamp': true },
      nested: { additionalProperties: false, properties: { on: { type: ['boolean', 'null'] } } },
      mail: { type: 'string', format: 'email' },
      map: { type: 'object', additionalProperties: { type: 'number' } },
      tuple: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
    },
  });
});

test('a recursive zod schema keeps its references, and they resolve', () => {
  const node = z.object({
    name: z.string(),
    get kids() {
      return z.array(node);
    },
  });
  expect(convert(node)).toMatchObject({
    additionalProperties: false,
    properties: { kids: { items: { $ref: '#' } } },
  });
  expect(convert(z.object({ tree: node }))).toMatchObject({
    properties: { tree: { $ref: expect.stringMatching(/^#\/\$defs\/\w+$/u) } },
    $defs: expect.anything(),
  });
});

test.each<[string, unknown, string]>([
  ['transform', z.object({ a: z.string().transform((text) => text.length) }), 'has a transform'],
  ['pipe', z.object({ a: z.string().pipe(z.string()) }), 'has a transform'],
  ['preprocess', z.object({ a: z.preprocess((value) => value, z.string()) }), 'has a transform'],
  ['trim', z.object({ a: z.string().trim() }), 'has a transform (trim'],
  ['coerce', z.object({ a: z.coerce.number() }), 'coerces'],
  ['catch', z.object({ a: z.string().catch('x') }), 'has a catch'],
  ['refine', z.object({ a: z.string().refine((text) => text !== 'x') }), 'has a refinement'],
  ['refine on top', z.object({ a: z.string() }).refine(() => true), 'has a refinement'],
  ['superRefine', z.object({ a: z.array(z.string()).superRefine(() => {}) }), 'has a refinement'],
  ['custom', z.object({ a: z.custom<string>(() => true) }), 'has a refinement'],
  ['stringFormat', z.object({ a: z.stringFormat('mine', () => true) }), 'has a refinement'],
  [
    'in a union',
    z.object({ a: z.union([z.string(), z.number().refine(() => true)]) }),
    'has a refinement',
  ],
  ['in a record', z.object({ a: z.record(z.string(), z.string().trim()) }), 'has a transform'],
  ['in a lazy', z.object({ a: z.lazy(() => z.string().trim()) }), 'has a transform'],
  [
    'behind optional',
    z.object({ a: z.string().trim().optional().nullable().default('x') }),
    'has a transform',
  ],
  ['date', z.object({ a: z.date() }), 'cannot be said in JSON Schema'],
  ['loose', z.looseObject({ a: z.string() }), 'must be closed at the top'],
  [
    'union on top',
    z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
    'has anyOf at the top',
  ],
])('zod with %s is refused', (_name, input, message) => {
  expect(() => convert(input)).toThrow(TypeError);
  expect(() => convert(input)).toThrow(`Tool t: the input schema ${message}`);
});

const deepList = (depth: number): unknown => (depth === 0 ? {} : { items: deepList(depth - 1) });

test.each<[unknown, string]>([
  [null, 'is no object'],
  ['x', 'is no object'],
  [{ type: 'string' }, 'must have the type object at the top'],
  [{ properties: {} }, 'must have the type object at the top'],
  [{ type: ['object', 'null'] }, 'must have the type object at the top'],
  [{ type: 'object', oneOf: [{}] }, 'has oneOf at the top'],
  [{ type: 'object', allOf: [{}] }, 'has allOf at the top'],
  [{ type: 'object', additionalProperties: true }, 'must be closed at the top'],
  [{ type: 'object', additionalProperties: { type: 'string' } }, 'must be closed at the top'],
  [{ type: 'object', patternProperties: { a: true } }, 'must be closed at the top'],
  [{ type: 'object', properties: { a: 'string' } }, 'at /properties/a is no schema'],
  [
    { type: 'object', properties: { a: { type: 'strnig' } } },
    'at /properties/a/type has no type "strnig"',
  ],
  [
    { type: 'object', properties: { a: { type: 'int' } } },
    'at /properties/a/type has no type "int"',
  ],
  [
    { type: 'object', properties: { a: { $ref: '#/$defs/Missing' } } },
    'at /properties/a/$ref "#/$defs/Missing" names nothing',
  ],
  [
    { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } },
    'points outside the schema, and nothing is fetched',
  ],
  [
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/a' } },
      $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
    },
    'leads back to itself',
  ],
  [{ type: 'object', properties: { a: { $dynamicRef: '#a' } } }, 'is not supported; use $ref'],
  [
    { type: 'object', properties: { a: { pattern: '(' } } },
    'at /properties/a/pattern is no regular expression',
  ],
  [
    { type: 'object', properties: { a: { pattern: '(a)\\1' } } },
    'cannot be matched in linear time',
  ],
  [
    { type: 'object', properties: { a: { enum: [] } } },
    'at /properties/a/enum is a list of values',
  ],
  [{ type: 'object', properties: { a: { minLength: -1 } } }, 'is a whole number of at least 0'],
  [{ type: 'object', properties: { a: { minimum: '1' } } }, 'is a number'],
  [
    { type: 'object', properties: { a: { type: 'integer', default: 'x' } } },
    'at /properties/a/default is refused by its own schema',
  ],
  [
    { type: 'object', properties: { a: { type: 'string', 'x-clamp': true } } },
    'at /properties/a/x-clamp needs an integer',
  ],
  [{ type: 'object', properties: { required: ['a'] } }, 'stands one level too deep'],
  [{ type: 'object', required: 'a' }, 'at /required is a list of names'],
  [{ type: 'object', properties: { a: deepList(70) } }, 'is nested deeper than 64 schemas'],
  [{ type: 'object', properties: { a: () => 1 } }, 'at /properties/a is a function'],
  [{ type: 'object', description: 'x'.repeat(262_144) }, 'exceeds 262144 bytes'],
])('%j is refused', (input, message) => {
  expect(() => convert(input)).toThrow(TypeError);
  expect(() => convert(input)).toThrow(message);
});

test('a schema of just 256 KiB is accepted', () => {
  const empty = JSON.stringify({ type: 'object', description: '' }).length;
  expect(() => convert({ type: 'object', description: 'x'.repeat(262_144 - empty) })).not.toThrow();
});

test('examples are kept in the schema, and must be valid as they are', () => {
  const input = {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'integer', maximum: 5, 'x-clamp': true } },
  };
  expect(convert(input, [{ a: 1 }])).toMatchObject({ examples: [{ a: 1 }] });
  expect(() => convert(input, [{ a: 1 }, {}])).toThrow(
    'refuses example 1: /a: required property is missing',
  );
  expect(() => convert(input, [{ a: '1' }])).toThrow('has to repair example 0');
  expect(() => convert(input, [{ a: 9 }])).toThrow('has to repair example 0');
});

test('a top-level reference is resolved', () => {
  expect(
    convert({
      $ref: '#/definitions/Input',
      definitions: {
        Input: { type: 'object', properties: { next: { $ref: '#/definitions/Input' } } },
      },
    }),
  ).toMatchObject({
    type: 'object',
    additionalProperties: false,
    properties: { next: { $ref: '#/$defs/Input' } },
    $defs: { Input: { type: 'object', additionalProperties: false } },
  });
  expect(() => convert({ $ref: '#/$defs/a', $defs: { a: { $ref: '#', title: 'x' } } })).toThrow(
    TypeError,
  );
});

test('schemas of other libraries come through Standard JSON Schema, unless they transform', () => {
  const library = (output: object): unknown => ({
    '~standard': {
      version: 1,
      vendor: 'other',
      jsonSchema: {
        input: () => ({ type: 'object', properties: { a: { type: 'string', default: 'x' } } }),
        output: () => output,
      },
    },
  });
  const plain = {
    type: 'object',
    required: ['a'],
    additionalProperties: false,
    properties: { a: { type: 'string' } },
  };
  expect(convert(library(plain))).toMatchObject({ properties: { a: { default: 'x' } } });
  expect(() => convert(library({ ...plain, properties: { a: { type: 'number' } } }))).toThrow(
    'has a transform',
  );
  expect(() =>
    convert({ '~standard': { version: 1, vendor: 'valibot', validate: () => ({}) } }),
  ).toThrow(
    'a schema of valibot needs Standard JSON Schema (zod 4.2 or later), or write plain JSON Schema',
  );
});

test('an output schema may have any type, and is closed only where it says so', () => {
  expect(
    toOutputSchema({ type: 'array', items: { type: 'object', properties: { a: {} } } }, 't'),
  ).toEqual({
    type: 'array',
    items: { type: 'object', properties: { a: {} } },
  });
  expect(toOutputSchema(z.object({ n: z.number() }), 't')).toEqual({
    type: 'object',
    properties: { n: { type: 'number' } },
    required: ['n'],
  });
  expect(() => toOutputSchema({ properties: { a: { $ref: '#/x' } } }, 't')).toThrow(
    'Tool t: the output schema at',
  );
});

test('names that objects inherit are ordinary properties', () => {
  const schema = convert(
    JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"toString":{"type":"integer"}}}',
    ),
  );
  expect(JSON.stringify(schema)).toBe(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"toString":{"type":"integer"}},"additionalProperties":false}',
  );
});
