import { expect, test } from 'vitest';
import type { JsonSchema } from '../../src/schema/json-schema.ts';
import { accepted, validate } from './validate-both.ts';

const repairable: JsonSchema = {
  type: 'object',
  properties: {
    tags: { type: 'array', items: { type: 'string' } },
    limit: { type: 'integer' },
    on: { type: 'boolean' },
    h: { type: 'object' },
  },
};

test('SCHEMA-001 — stringified containers and scalars', async () => {
  const args = { tags: '["a","b"]', limit: '200000', on: 'true', h: '{"k":"v"}' };
  const before = structuredClone(args);
  expect(await validate(repairable, args)).toEqual(
    accepted(
      { tags: ['a', 'b'], limit: 200_000, on: true, h: { k: 'v' } },
      {
        repairs: [
          { path: '/tags', from: '["a","b"]', to: ['a', 'b'] },
          { path: '/limit', from: '200000', to: 200_000 },
          { path: '/on', from: 'true', to: true },
          { path: '/h', from: '{"k":"v"}', to: { k: 'v' } },
        ],
      },
    ),
  );
  expect(args).toEqual(before);
});

test('repairs reach inside repaired values, and long ones are shown by their beginning', async () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      list: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
    },
  };
  expect(await validate(schema, { list: '[{"n":"1"}]' })).toEqual(
    accepted(
      { list: [{ n: 1 }] },
      {
        repairs: [
          { path: '/list', from: '[{"n":"1"}]', to: [{ n: '1' }] },
          { path: '/list/0/n', from: '1', to: 1 },
        ],
      },
    ),
  );
  const long = JSON.stringify([{ t: 'x'.repeat(5_000) }]);
  const result = await validate(schema, { list: long });
  expect(result.valid && result.repairs).toEqual([
    { path: '/list', from: `${long.slice(0, 256)}…`, to: `${long.slice(0, 256)}…` },
  ]);
});

test('arguments as JSON text as a whole are read, and reported', async () => {
  expect(await validate(repairable, '{"limit":"5"}')).toEqual(
    accepted(
      { limit: 5 },
      {
        repairs: [
          { path: '', from: '{"limit":"5"}', to: { limit: '5' } },
          { path: '/limit', from: '5', to: 5 },
        ],
      },
    ),
  );
  expect(await validate(repairable, undefined)).toEqual(accepted({}));
  expect(await validate(repairable, '')).toMatchObject({ valid: true, value: {} });
  for (const value of ['{"limit":', '[1]', '"{}"', '5', null, 5, [], true]) {
    expect(await validate(repairable, value)).toMatchObject({
      valid: false,
      errors: [{ path: '', keyword: 'type' }],
    });
  }
});

test('a number becomes text where text is wanted, in its plain digits only', async () => {
  const schema: JsonSchema = { type: 'object', properties: { s: { type: 'string' } } };
  expect(await validate(schema, { s: 42 })).toEqual(
    accepted({ s: '42' }, { repairs: [{ path: '/s', from: 42, to: '42' }] }),
  );
  expect(await validate(schema, { s: -1.25 })).toMatchObject({ value: { s: '-1.25' } });
  for (const s of [1e21, 1e-9, true, null, [], {}]) {
    expect(await validate(schema, { s })).toMatchObject(
      s === null ? { valid: true } : { valid: false },
    );
  }
});

test('what could be read in two ways is left alone', async () => {
  const either: JsonSchema = {
    type: 'object',
    properties: {
      text: { type: ['string', 'array'] },
      any: { anyOf: [{ type: 'string' }, { type: 'array' }] },
      list: {
        anyOf: [
          { type: 'array', items: { type: 'string' } },
          { type: 'array', items: { type: 'integer' } },
        ],
      },
      maybe: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    },
  };
  expect(await validate(either, { text: '[1]', any: '[1]' })).toEqual(
    accepted({ text: '[1]', any: '[1]' }),
  );
  // Both readings of the numbers are possible: kept as they are for one branch, written as text for the other.
  expect(await validate(either, { list: '[1]' })).toMatchObject({
    valid: false,
    errors: [{ path: '/list' }],
  });
  expect(await validate(either, { list: '["a"]' })).toMatchObject({ value: { list: ['a'] } });
  expect(await validate(either, { maybe: '7' })).toMatchObject({ value: { maybe: 7 } });
});

test.each<[string, unknown, unknown]>([
  ['integer', '1.0', undefined],
  ['integer', '1e3', undefined],
  ['integer', ' 5 ', undefined],
  ['integer', '0x10', undefined],
  ['integer', 'NaN', undefined],
  ['integer', '９', undefined],
  ['integer', '+5', undefined],
  ['integer', '05', undefined],
  ['integer', 1.5, undefined],
  ['integer', true, undefined],
  ['integer', '9007199254740993', undefined],
  ['integer', '9007199254740991', 9_007_199_254_740_991],
  ['integer', '-7', -7],
  ['number', '1.50', 1.5],
  ['number', '1e3', 1_000],
  ['number', '0.1000000000000000055511151231257827', undefined],
  ['number', '1e999', undefined],
  ['number', '.5', undefined],
  ['boolean', 'false', false],
  ['boolean', 'yes', undefined],
  ['boolean', 'True', undefined],
  ['boolean', '0', undefined],
  ['boolean', 1, undefined],
  ['null', 'null', undefined],
  ['null', '', undefined],
])('SCHEMA-003 — coercion edge values: %s from %j', async (type, from, to) => {
  const schema: JsonSchema = { type: 'object', required: ['v'], properties: { v: { type } } };
  const result = await validate(schema, { v: from });
  expect(result.valid ? result.value['v'] : undefined).toBe(to);
  expect(result.valid).toBe(to !== undefined);
});

test.each(['integer', 'boolean'])('SCHEMA-003 — the empty string is no %s', async (type) => {
  const required: JsonSchema = { type: 'object', required: ['v'], properties: { v: { type } } };
  expect(await validate(required, { v: '' })).toMatchObject({
    valid: false,
    errors: [{ path: '/v' }],
  });
});
