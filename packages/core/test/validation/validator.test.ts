import { expect, test } from 'vitest';
import type { JsonSchema } from '../../src/schema/json-schema.ts';
import type { ValidationResult } from '../../src/validation/validator.ts';
import { accepted, validate } from './validate-both.ts';

const search: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['query'],
  properties: {
    query: { type: 'string', minLength: 1 },
    mode: { enum: ['grep', 'glob'] },
    file_path: { type: 'string' },
    limit: { type: 'integer', minimum: 1, maximum: 200, default: 50, 'x-clamp': true },
    edits: {
      type: 'array',
      maxItems: 2,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['old_string'],
        properties: {
          old_string: { type: 'string' },
          replace_all: { type: 'boolean', default: false },
        },
      },
    },
  },
};

test('errors name the place, what is allowed there, and the nearest name', async () => {
  const result = await validate(search, {
    filePath: 'a',
    mode: 'greb',
    limit: 'many',
    edits: [
      { old_string: 1.5, replaceAll: 1 },
      { old_string: 'x', more: 1 },
    ],
  });
  expect(result).toEqual({
    valid: false,
    errors: [
      {
        path: '/query',
        keyword: 'required',
        message: 'required property is missing: a non-empty string',
      },
      {
        path: '/filePath',
        keyword: 'additionalProperties',
        message:
          'unknown property; did you mean "file_path"? allowed: "query", "mode", "file_path", "limit", "edits"',
      },
      { path: '/mode', keyword: 'enum', message: 'must be one of "grep", "glob"' },
      {
        path: '/limit',
        keyword: 'type',
        message: 'must be an integer from 1 to 200, got a string',
      },
      {
        path: '/edits/0/replaceAll',
        keyword: 'additionalProperties',
        message:
          'unknown property; did you mean "replace_all"? allowed: "old_string", "replace_all"',
      },
      {
        path: '/edits/1/more',
        keyword: 'additionalProperties',
        message:
          'unknown property; did you mean "old_string"? allowed: "old_string", "replace_all"',
      },
    ],
    message: expect.stringContaining(
      '/limit: must be an integer from 1 to 200, got a string; /edits/0',
    ),
  });
});

test('at most eight errors, then a count; the text ends within 4 KiB on a whole character', async () => {
  const schema: JsonSchema = { type: 'object', additionalProperties: { type: 'integer' } };
  const few = await validate(
    schema,
    Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`k${i}`, 'x'])),
  );
  expect(!few.valid && few.errors.length).toBe(8);
  expect(
    !few.valid && few.message.endsWith('; /k7: must be an integer, got a string (3 more omitted)'),
  ).toBe(true);
  const long = await validate(
    schema,
    Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`${'😀'.repeat(300)}${i}`, 'x'])),
  );
  const message = long.valid ? '' : long.message;
  const bytes = new TextEncoder().encode(message);
  expect(bytes.length).toBeLessThanOrEqual(4_096);
  expect(bytes.length).toBeGreaterThan(4_080);
  expect(message).not.toMatch(/\ufffd|[\ud800-\udbff](?![\udc00-\udfff])/);
  expect(message.endsWith('… (1 more omitted)')).toBe(true);
});

test('the branch that was meant is reported, by its variant or by its kind', async () => {
  const shape = (kind: string, name: string): JsonSchema => ({
    type: 'object',
    required: ['kind', name],
    properties: { kind: { const: kind }, [name]: { type: 'number' } },
  });
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      v: { oneOf: [shape('circle', 'radius'), shape('square', 'side'), { type: 'string' }] },
    },
  };
  expect(await validate(schema, { v: { kind: 'square', side: 'x' } })).toMatchObject({
    errors: [{ path: '/v/side', message: 'must be a number, got a string' }],
  });
  expect(await validate(schema, { v: true })).toMatchObject({
    errors: [{ path: '/v', keyword: 'oneOf', message: 'must be an object or a string, got true' }],
  });
});

test('defaults are applied, nested ones and ones behind references too, and only where absent', async () => {
  expect(await validate(search, { query: 'x' })).toEqual(accepted({ query: 'x', limit: 50 }));
  expect(await validate(search, { query: 'x', limit: 7, edits: [{ old_string: 'a' }] })).toEqual(
    accepted({ query: 'x', limit: 7, edits: [{ old_string: 'a', replace_all: false }] }),
  );
  const schema: JsonSchema = {
    type: 'object',
    required: ['o'],
    properties: { o: { $ref: '#/$defs/o' }, s: { default: { deep: [1] } } },
    $defs: { o: { type: 'object', properties: { n: { type: 'integer', default: 3 } } } },
  };
  const result = await validate(schema, { o: {} });
  expect(result).toEqual(accepted({ o: { n: 3 }, s: { deep: [1] } }));
  expect(result.valid && Object.isFrozen(result.value['o'])).toBe(true);
});

test('limits are clamped and reported; zero, negatives and other types are errors', async () => {
  const clamp = (limit: unknown): Promise<ValidationResult> =>
    validate(search, { query: 'x', limit });
  expect(await clamp(1_000_000)).toEqual(
    accepted(
      { query: 'x', limit: 200 },
      { clamped: [{ path: '/limit', from: 1_000_000, to: 200 }] },
    ),
  );
  expect(await clamp('300')).toEqual(
    accepted(
      { query: 'x', limit: 200 },
      {
        repairs: [{ path: '/limit', from: '300', to: 300 }],
        clamped: [{ path: '/limit', from: 300, to: 200 }],
      },
    ),
  );
  expect(await clamp(0)).toMatchObject({ errors: [{ message: 'must be at least 1, got 0' }] });
  expect(await clamp(-5)).toMatchObject({ errors: [{ message: 'must be at least 1, got -5' }] });
  expect(await clamp(1.5)).toMatchObject({ errors: [{ keyword: 'type' }] });
  const timeout: JsonSchema = {
    type: 'object',
    properties: {
      ms: { type: 'integer', minimum: 1_000, maximum: 5_000, 'x-clamp': true },
      n: { type: 'integer', maximum: 5 },
    },
  };
  expect(await validate(timeout, { ms: 20 })).toEqual(
    accepted({ ms: 1_000 }, { clamped: [{ path: '/ms', from: 20, to: 1_000 }] }),
  );
  expect(await validate(timeout, { n: 6 })).toMatchObject({ valid: false });
});
