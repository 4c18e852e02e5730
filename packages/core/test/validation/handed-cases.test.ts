import { expect, test } from 'vitest';
import type { JsonSchema } from '../../src/schema/json-schema.ts';
import { accepted, validate } from './validate-both.ts';

test('SCHEMA-008 — unknown formats and keywords', async () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      n: { type: 'integer', format: 'uint' },
      t: { type: 'string', format: 'date-time' },
      x: { 'x-note': 1 },
    },
  };
  expect(await validate(schema, { n: -1, t: 'not a date', x: [] })).toEqual(
    accepted({ n: -1, t: 'not a date', x: [] }),
  );
});

test('SCHEMA-009 — prototype keys in arguments', async () => {
  const text = '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},"a":1}';
  const open: JsonSchema = { type: 'object', properties: { a: {} }, additionalProperties: true };
  const result = await validate(open, JSON.parse(text));
  expect(result.valid && JSON.stringify(result.value)).toBe(text);
  expect(result.valid && Object.getPrototypeOf(result.value)).toBe(Object.prototype);
  expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  expect(await validate({ ...open, additionalProperties: false }, JSON.parse(text))).toMatchObject({
    valid: false,
    errors: [
      { path: '/__proto__', keyword: 'additionalProperties' },
      { path: '/constructor', keyword: 'additionalProperties' },
    ],
  });
  const needy: JsonSchema = {
    type: 'object',
    required: ['toString'],
    properties: { toString: { type: 'string' } },
  };
  expect(await validate(needy, {})).toMatchObject({
    valid: false,
    errors: [{ path: '/toString', keyword: 'required' }],
  });
  expect(await validate(needy, { toString: 'x' })).toMatchObject({ valid: true });
  // Repairs rebuild objects; the key must stay a key there too.
  expect(await validate({ ...open, properties: { a: { type: 'string' } } }, text)).toMatchObject({
    valid: true,
  });
  expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
});

test('SCHEMA-012 — pattern that backtracks without end', async () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      slow: { type: 'string', pattern: '^(a+)+$' },
      one: { type: 'string', pattern: '^.{1}$' },
    },
    patternProperties: { '^(x+x+)+y$': true },
    additionalProperties: false,
  };
  const started = performance.now();
  expect(await validate(schema, { slow: `${'a'.repeat(40)}!` })).toMatchObject({
    errors: [{ path: '/slow', keyword: 'pattern', message: 'must match ^(a+)+$' }],
  });
  expect(await validate(schema, { ['x'.repeat(200)]: 1 })).toMatchObject({ valid: false });
  expect(performance.now() - started).toBeLessThan(10_000);
  expect(await validate(schema, { one: '😀', slow: 'aaa' })).toMatchObject({ valid: true });
});

test('SCHEMA-013 — size and depth of arguments', async () => {
  const open: JsonSchema = { type: 'object' };
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  expect(await validate(open, JSON.parse(`{"a":${deep}}`))).toMatchObject({
    valid: false,
    reason: 'too_deep',
    errors: [{ keyword: 'too_deep', message: 'is nested deeper than 128 levels' }],
  });
  expect(await validate(open, `{"a":${deep}}`)).toMatchObject({ reason: 'too_deep' });
  expect(
    await validate({ type: 'object', properties: { a: { type: 'array' } } }, { a: deep }),
  ).toMatchObject({
    valid: false,
    errors: [{ path: '/a' }],
  });
  expect(await validate(open, { a: 'x'.repeat(50_000_000) })).toMatchObject({
    valid: false,
    reason: 'too_large',
    errors: [{ path: '/a', message: 'exceeds 16777216 bytes' }],
  });
  expect(await validate(open, 'x'.repeat(50_000_000))).toMatchObject({ valid: false });
});

test('SCHEMA-015 — null type', async () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: { p: { anyOf: [{ type: 'string' }, { type: 'null' }] }, n: { type: 'null' } },
    required: ['p'],
  };
  expect(await validate(schema, { p: null, n: null })).toEqual(accepted({ p: null, n: null }));
});

test('KERNEL-007 — required argument missing', async () => {
  const write: JsonSchema = {
    type: 'object',
    additionalProperties: false,
    required: ['path', 'content'],
    properties: { path: { type: 'string' }, content: { type: 'string' } },
  };
  expect(await validate(write, { path: 'keep.txt' })).toMatchObject({
    valid: false,
    message: '/content: required property is missing: a string',
  });
  expect(await validate(write, { path: 'keep.txt', content: null })).toMatchObject({
    valid: false,
    message: '/content: must be a string, got null',
  });
  expect(await validate(write, { path: 'keep.txt', content: '' })).toEqual(
    accepted({ path: 'keep.txt', content: '' }),
  );
});

const limited: JsonSchema = {
  type: 'object',
  properties: { limit: { type: 'integer', default: 50 } },
};

test('KERNEL-008 — placeholders for optional arguments', async () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      label: { type: 'string', pattern: '^[a-z]+$' },
      limit: { type: 'integer' },
      text: { type: 'string' },
    },
  };
  expect(await validate(schema, { label: '', limit: null, text: '' })).toEqual(
    accepted(
      { text: '' },
      {
        repairs: [
          { path: '/label', from: '' },
          { path: '/limit', from: null },
        ],
      },
    ),
  );
  expect(await validate({ ...schema, required: ['label'] }, { label: '' })).toMatchObject({
    valid: false,
    errors: [{ path: '/label', keyword: 'pattern' }],
  });
  expect(await validate(limited, { limit: null })).toMatchObject({
    value: { limit: 50 },
    repairs: [{ path: '/limit', from: null }],
  });
});

test('KERNEL-009 — the result is a private frozen copy, whatever the original does later', async () => {
  const args = { a: { b: ['echo ok'] } };
  const result = await validate({ type: 'object' }, args);
  args.a.b[0] = 'touch PWNED';
  expect(result).toEqual(accepted({ a: { b: ['echo ok'] } }));
  const inner = result.valid ? (result.value['a'] as { b: string[] }) : { b: [] };
  expect(() => inner.b.push('x')).toThrow(TypeError);
});

test('many distinct items are compared in one pass', async () => {
  const schema: JsonSchema = { type: 'object', properties: { a: { uniqueItems: true } } };
  const a = Array.from({ length: 100_000 }, (_, index) => ({ index }));
  const started = performance.now();
  expect(await validate(schema, { a })).toMatchObject({ valid: true });
  expect(await validate(schema, { a: [...a, { index: 5 }] })).toMatchObject({ valid: false });
  expect(performance.now() - started).toBeLessThan(20_000);
});

test('a schema that admits no object still answers', async () => {
  expect(await validate({ type: 'string' }, '"x"')).toMatchObject({ valid: false });
});
