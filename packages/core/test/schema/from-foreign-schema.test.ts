import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import type { ForeignSchema } from '../../src/schema/from-foreign-schema.ts';
import { fromForeignSchema } from '../../src/schema/from-foreign-schema.ts';
import { toModelSchema } from '../../src/schema/to-model-schema.ts';
import { createValidator } from '../../src/validation/validator.ts';
import { references } from './schema-references.ts';

function usable(source: unknown): {
  readonly schema: JsonObject;
  readonly warnings: readonly string[];
} {
  const result: ForeignSchema = fromForeignSchema(source);
  if (!result.usable) throw new Error(result.reason);
  return result;
}

function isValid(source: unknown, value: unknown): boolean {
  return createValidator(usable(source).schema).validate(value).valid;
}

const dialects = [
  'https://json-schema.org/draft/2020-12/schema',
  'http://json-schema.org/draft/2020-12/schema#',
  'https://json-schema.org/draft/2019-09/schema',
  'http://json-schema.org/draft-07/schema#',
  'https://json-schema.org/draft-07/schema',
  'https://example.com/unknown-dialect',
  undefined,
];

test.each(dialects)('SCHEMA-004 — `$schema` 2020-12, 2019-09, draft-07, none: %s', (dialect) => {
  const base = { ...(dialect === undefined ? {} : { $schema: dialect }), type: 'object' };
  const tuples = [
    { prefixItems: [{ $ref: '#/$defs/n' }, { type: 'string' }] },
    { items: [{ $ref: '#/$defs/n' }, { type: 'string' }] },
  ];
  for (const pair of tuples) {
    const modern = { ...base, properties: { pair }, $defs: { n: { type: 'integer' } } };
    const older = JSON.parse(JSON.stringify(modern).replaceAll('$defs', 'definitions'));
    for (const source of [modern, older]) {
      expect(isValid(source, { pair: [1, 'a'] })).toBe(true);
      expect(isValid(source, { pair: ['a', 1] })).toBe(false);
      const { schema, warnings } = usable(source);
      expect(references(schema)).toEqual([['#/$defs/n', true]]);
      expect(warnings).toEqual(
        dialect?.includes('unknown')
          ? ['/$schema names no known dialect (example.com/unknown-dialect); it is read as 2020-12']
          : [],
      );
    }
  }
  const closedTuple = { ...base, properties: { pair: { items: [true], additionalItems: false } } };
  expect(isValid(closedTuple, { pair: [1] })).toBe(true);
  expect(isValid(closedTuple, { pair: [1, 2] })).toBe(false);
});

test('older dialects: dependencies, flags for exclusive bounds, ids as anchors, nothing beside $ref', () => {
  const draft7 = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    dependencies: { a: ['b'], c: { required: ['d'] } },
    properties: { r: { $ref: '#text', maxLength: 1, description: 'kept' } },
    definitions: { text: { $id: '#text', type: 'string' } },
  };
  expect(usable(draft7)).toEqual({
    usable: true,
    warnings: [],
    schema: {
      type: 'object',
      dependentRequired: { a: ['b'] },
      dependentSchemas: { c: { required: ['d'] } },
      properties: { r: { $ref: '#/$defs/text', description: 'kept' } },
      $defs: { text: { type: 'string' } },
    },
  });
  const draft4 = {
    properties: { n: { minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false } },
  };
  expect(usable(draft4).schema['properties']).toEqual({ n: { exclusiveMinimum: 0, maximum: 9 } });
  const modern = {
    properties: { r: { $ref: '#/$defs/t', maxLength: 1 } },
    $defs: { t: { type: 'string' } },
  };
  expect(isValid(modern, { r: 'ab' })).toBe(false);
});

test('references by anchor, by id, into embedded resources and with escapes resolve', () => {
  const source = {
    $id: 'https://example.com/root.json',
    properties: {
      a: { $ref: '#anchored' },
      b: { $ref: 'https://example.com/embedded.json' },
      c: { $ref: 'https://example.com/root.json#/$defs/x~1y%20z' },
      d: { $ref: '#/properties/a' },
      e: { $ref: '#/$defs/list/items/0' },
      f: { $ref: '#/$defs/never' },
    },
    $defs: {
      one: { $anchor: 'anchored', type: 'integer' },
      two: {
        $id: 'https://example.com/embedded.json',
        $ref: '#/$defs/inner',
        $defs: { inner: { type: 'boolean' } },
      },
      'x/y z': { type: 'null' },
      list: { items: [{ type: 'string' }] },
      never: false,
    },
  };
  const { schema, warnings } = usable(source);
  expect(warnings).toEqual([]);
  expect(references(schema).every(([, resolves]) => resolves)).toBe(true);
  expect(isValid(source, { a: 1, b: true, c: null, d: 2, e: 'x' })).toBe(true);
  for (const wrong of [{ a: 'x' }, { b: 1.5 }, { c: 1 }, { d: 'x' }, { e: [] }, { f: 1 }]) {
    expect([wrong, isValid(source, wrong)]).toEqual([wrong, false]);
  }
});

test('references that lead back to their own schema are taken out, wherever the circle closes', () => {
  const a = { properties: { x: { $ref: '#/$defs/b' } }, allOf: [{ $ref: '#/$defs/b' }] };
  const source = {
    properties: { v: { $ref: '#/$defs/a' } },
    $defs: { a, b: { anyOf: [{ $ref: '#/$defs/a' }, true] } },
  };
  const { schema, warnings } = usable(source);
  expect(warnings).toEqual(['/$defs/b/$ref leads back to itself']);
  expect(schema['$defs']).toEqual({ a, b: { anyOf: [{}, true] } });
  expect(isValid(source, { v: { x: { x: 1 } } })).toBe(true);
  for (const self of ['', '#', '#/$defs/s']) {
    const looping = { $ref: self, default: {}, $defs: { s: { $ref: '#', title: 't' } } };
    expect(usable(looping).warnings).toContainEqual(
      expect.stringContaining('leads back to itself'),
    );
    expect(isValid(looping, {})).toBe(true);
  }
});

test('SCHEMA-005 — dangling `$ref` in one tool', () => {
  const output = fromForeignSchema({ properties: { x: { $ref: '#/$defs/Missing' } } }, 'output');
  expect(output).toEqual({
    usable: true,
    schema: { properties: { x: {} } },
    warnings: ['/properties/x/$ref "#/$defs/Missing" names nothing in the schema'],
  });
  expect(
    usable({ type: 'object', properties: { x: { $ref: 'https://example.com/x.json' } } }),
  ).toMatchObject({
    schema: { properties: { x: {} } },
    warnings: [
      '/properties/x/$ref "https://example.com/x.json" points outside the schema, and nothing is fetched',
    ],
  });
});

test('SCHEMA-007 — `$defs` must reach the model', () => {
  const { schema } = usable({
    type: 'object',
    properties: { at: { $ref: '#/$defs/Anchor' } },
    $defs: { Anchor: { enum: ['top', 'middle', 'end'], 'x-note': 1 }, Unused: { type: 'string' } },
  });
  const model = toModelSchema(schema);
  expect(model).toEqual({
    type: 'object',
    properties: { at: { $ref: '#/$defs/Anchor' } },
    $defs: { Anchor: { enum: ['top', 'middle', 'end'] } },
  });
  expect(references(model)).toEqual([['#/$defs/Anchor', true]]);
});

test('SCHEMA-008 — unknown formats and keywords', () => {
  const source = {
    type: 'object',
    properties: {
      n: { type: 'integer', format: 'uint' },
      t: { type: 'string', format: 'date-time' },
      x: { 'x-note': 1 },
    },
  };
  expect(usable(source)).toEqual({ usable: true, schema: source, warnings: [] });
});

test('SCHEMA-012 — a pattern without a linear match is kept for the model, not checked, and told', () => {
  const source = { type: 'object', properties: { p: { type: 'string', pattern: '^(a)\\1$' } } };
  expect(usable(source)).toEqual({
    usable: true,
    schema: source,
    warnings: ['/properties/p/pattern cannot be matched in linear time, so it is not checked'],
  });
  expect(isValid(source, { p: 'anything' })).toBe(true);
  expect(usable({ properties: { p: { pattern: '(?i)a' } } })).toMatchObject({
    schema: { properties: { p: {} } },
    warnings: ['/properties/p/pattern is no regular expression'],
  });
});

test('SCHEMA-015 — null type and top-level union', () => {
  const nullable = {
    type: 'object',
    properties: { p: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
  };
  expect(usable(nullable)).toEqual({ usable: true, schema: nullable, warnings: [] });
  expect(isValid(nullable, { p: null })).toBe(true);

  const union = {
    description: 'Finds things.',
    oneOf: [
      {
        type: 'object',
        properties: { id: { type: 'string' }, deep: { type: 'boolean' } },
        required: ['id', 'deep'],
        additionalProperties: false,
      },
      {
        type: 'object',
        properties: { id: { type: 'integer' }, name: { type: 'string' } },
        required: ['name', 'deep'],
        additionalProperties: false,
      },
    ],
  };
  expect(usable(union)).toEqual({
    usable: true,
    warnings: ['/oneOf at the top is folded into one object'],
    schema: {
      type: 'object',
      properties: {
        id: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
        deep: { type: 'boolean' },
        name: { type: 'string' },
      },
      description:
        'Finds things. The arguments take exactly one of these forms, which require: id, deep; or name, deep.',
      required: ['deep'],
      additionalProperties: false,
    },
  });

  for (const missing of [undefined, null, true]) {
    expect(usable(missing)).toEqual({
      usable: true,
      schema: { type: 'object', properties: {} },
      warnings: ['the schema is missing'],
    });
  }

  expect(
    usable({ type: 'object', properties: { a: { type: 'string' }, required: ['a'] } }),
  ).toEqual({
    usable: true,
    schema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    warnings: ['/properties/required stands one level too deep; it belongs beside properties'],
  });
});

test('a combination at the top is folded through references; what cannot be an object has a reason', () => {
  const source = {
    allOf: [{ $ref: '#/$defs/Base' }, { properties: { b: {} }, required: ['b'] }],
    $defs: { Base: { type: 'object', properties: { a: {} }, required: ['a'] } },
  };
  expect(usable(source).schema).toMatchObject({
    type: 'object',
    properties: { a: {}, b: {} },
    required: ['a', 'b'],
  });
  expect(fromForeignSchema({ type: 'string' })).toEqual({
    usable: false,
    reason: 'the top-level type is "string", not object',
  });
  expect(fromForeignSchema({ anyOf: [{ type: 'string' }, { type: 'null' }] })).toEqual({
    usable: false,
    reason: 'no branch of the top-level anyOf is an object',
  });
  expect(fromForeignSchema(5)).toEqual({ usable: false, reason: 'the schema is no object' });
  expect(fromForeignSchema({ description: 'x'.repeat(300_000) })).toEqual({
    usable: false,
    reason: 'the schema exceeds 262144 bytes',
  });
  expect(fromForeignSchema({ properties: { a: () => 1 } })).toMatchObject({ usable: false });
});

test('what other systems write is understood where its meaning is plain', () => {
  const source = {
    type: 'object',
    properties: {
      a: { type: 'int' },
      b: { type: 'any' },
      c: { type: 'string', nullable: true, enum: ['x'] },
      d: { type: 'string', required: true },
      e: { type: 'integer', default: 'x' },
      f: { type: 'integer', maximum: 5, 'x-clamp': true },
      g: 'string',
      h: { enum: 'x' },
    },
  };
  expect(usable(source)).toEqual({
    usable: true,
    schema: {
      type: 'object',
      properties: {
        a: { type: 'integer' },
        b: {},
        c: { type: ['string', 'null'], enum: ['x', null] },
        d: { type: 'string' },
        e: { type: 'integer' },
        f: { type: 'integer', maximum: 5 },
        g: true,
        h: {},
      },
      required: ['d'],
    },
    warnings: [
      '/properties has properties that say required themselves: d',
      '/properties/a/type has no type "int"',
      '/properties/b/type has no type "any"',
      '/properties/g is no schema',
      '/properties/h/enum is a list of values',
      '/properties/e/default is refused by its own schema',
    ],
  });
});

test('a name pattern that is no regular expression is left out', () => {
  const source = { patternProperties: { '(': { type: 'string' }, '^a': { type: 'integer' } } };
  expect(usable(source)).toMatchObject({
    schema: { patternProperties: { '^a': { type: 'integer' } } },
    warnings: ['/patternProperties/( is no regular expression'],
  });
});

test('warnings are bounded', () => {
  const properties = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`p${index}`, 5]));
  const { warnings } = usable({ properties });
  expect(warnings).toHaveLength(17);
  expect(warnings.at(-1)).toBe('24 more');
});
