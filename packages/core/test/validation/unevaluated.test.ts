import { expect, test } from 'vitest';
import type { JsonSchema } from '../../src/schema/json-schema.ts';
import { createValidator } from '../../src/validation/validator.ts';

// Expected outcomes follow JSON Schema 2020-12, core 11.2 and 11.3. ajv is no reference here: it takes names that
// objects inherit, and what a failed `if` looked at, for evaluated.
const a = { properties: { a: { const: 1 } }, required: ['a'] };
const b = { properties: { b: { const: 1 } }, required: ['b'] };

test.each<[string, JsonSchema, readonly [unknown, boolean][]]>([
  [
    'properties',
    { properties: { a: true } },
    [
      [{ a: 1 }, true],
      [{ b: 1 }, false],
    ],
  ],
  [
    'inherited names',
    {},
    [
      [{}, true],
      [{ constructor: 1 }, false],
    ],
  ],
  [
    'patternProperties',
    { patternProperties: { '^a': true } },
    [
      [{ ab: 1 }, true],
      [{ b: 1 }, false],
    ],
  ],
  [
    'additionalProperties',
    { additionalProperties: { type: 'number' } },
    [
      [{ b: 1 }, true],
      [{ b: '' }, false],
    ],
  ],
  [
    'allOf',
    { allOf: [a, { properties: { b: true } }] },
    [
      [{ a: 1, b: 2 }, true],
      [{ a: 1, c: 1 }, false],
    ],
  ],
  [
    'anyOf, all that pass',
    { anyOf: [a, b] },
    [
      [{ a: 1, b: 1 }, true],
      [{ a: 1, b: 2 }, false],
    ],
  ],
  [
    'oneOf, the one that passes',
    { oneOf: [a, b] },
    [
      [{ a: 1 }, true],
      [{ a: 1, b: 2 }, false],
    ],
  ],
  ['not evaluates nothing', { not: { not: a } }, [[{ a: 1 }, false]]],
  [
    'if that passes',
    JSON.parse(`{ "if": ${JSON.stringify(a)}, "then": { "properties": { "c": true } } }`),
    [[{ a: 1, c: 1 }, true]],
  ],
  [
    'if that fails',
    { if: a, else: { properties: { c: true } } },
    [
      [{ c: 1 }, true],
      [{ a: 2, c: 1 }, false],
    ],
  ],
  [
    'dependentSchemas',
    { dependentSchemas: { a: { properties: { a: true, b: true } } } },
    [
      [{ a: 1, b: 1 }, true],
      [{ b: 1 }, false],
    ],
  ],
  [
    '$ref',
    { $ref: '#/$defs/a', $defs: { a } },
    [
      [{ a: 1 }, true],
      [{ a: 1, b: 1 }, false],
    ],
  ],
  [
    'a nested unevaluated',
    { allOf: [{ properties: { a: true }, unevaluatedProperties: true }] },
    [[{ b: 1 }, true]],
  ],
  [
    'cousins are not seen',
    { allOf: [{ properties: { a: true } }, { unevaluatedProperties: false }] },
    [[{ a: 1 }, false]],
  ],
])('unevaluatedProperties after %s', (_name, schema, cases) => {
  const validator = createValidator({ ...schema, unevaluatedProperties: false });
  for (const [value, valid] of cases) {
    // Plain JSON, written above.
    expect([value, validator.check(value as never).valid]).toEqual([value, valid]);
  }
});

test.each<[string, JsonSchema, readonly [unknown, boolean][]]>([
  [
    'prefixItems',
    { prefixItems: [true] },
    [
      [[1], true],
      [[1, 2], false],
    ],
  ],
  ['items', { items: true }, [[[1, 2], true]]],
  [
    'contains',
    { contains: { const: 1 } },
    [
      [[1, 1], true],
      [[1, 2], false],
    ],
  ],
  [
    'anyOf',
    { anyOf: [{ prefixItems: [{ const: 1 }, true] }, { prefixItems: [true] }] },
    [
      [[1, 2], true],
      [[2, 2], false],
    ],
  ],
  [
    'an inner array',
    { prefixItems: [{ prefixItems: [true, true] }] },
    [
      [[[1, 2]], true],
      [[[1, 2], 3], false],
    ],
  ],
])('unevaluatedItems after %s', (_name, schema, cases) => {
  const validator = createValidator({ ...schema, unevaluatedItems: false });
  for (const [value, valid] of cases) {
    expect([value, validator.check(value as never).valid]).toEqual([value, valid]);
  }
});

test('schemas with an unevaluated keyword are never compiled', async () => {
  expect(await createValidator({ unevaluatedProperties: false }).compile()).toBe(false);
  expect(await createValidator({ properties: { a: { unevaluatedItems: false } } }).compile()).toBe(
    false,
  );
});
