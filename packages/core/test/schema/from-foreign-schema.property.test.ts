import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromForeignSchema } from '../../src/schema/from-foreign-schema.ts';
import { createValidator } from '../../src/validation/validator.ts';
import { schemas } from '../validation/schema-arbitrary.ts';
import { references } from './schema-references.ts';

test('a valid 2020-12 schema keeps its meaning', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  fc.assert(
    fc.property(
      schemas,
      fc.array(fc.jsonValue({ maxDepth: 3 }), { minLength: 1, maxLength: 5 }),
      (inner, values) => {
        const foreign = fromForeignSchema({ properties: { v: inner } });
        const schema = foreign.usable ? foreign.schema : {};
        const original = createValidator({ properties: { v: inner } });
        const converted = createValidator(schema);
        for (const v of values) {
          const value = JSON.parse(JSON.stringify({ v }));
          expect(converted.check(value).valid).toBe(original.check(value).valid);
        }
        expect(ajv.validateSchema(schema)).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});

test('nothing thrown at it makes it throw, and whatever comes out is valid 2020-12', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  const keyword = fc.constantFrom(
    'type',
    'properties',
    'items',
    '$ref',
    '$defs',
    'anyOf',
    'required',
    'enum',
    'default',
    'pattern',
    'minimum',
    'additionalProperties',
    '$id',
    'dependencies',
    'exclusiveMinimum',
    '__proto__',
  );
  const leaf = fc.oneof(
    fc.constantFrom<unknown>(null, true, 1, -1, 'object', 'string', '#', '#/$defs/a', '(', {}, []),
    fc.string(),
  );
  const { node } = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      leaf,
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(keyword, fc.constantFrom('a', 'b')), tie('node'), {
        maxKeys: 5,
        noNullPrototype: true,
      }),
    ),
  }));
  fc.assert(
    fc.property(node, (source) => {
      const result = fromForeignSchema(source);
      const schema = result.usable ? result.schema : { type: 'object' };
      expect(ajv.validateSchema(schema)).toBe(true);
      expect(schema['type']).toBe('object');
      expect(references(schema).filter(([, resolves]) => !resolves)).toEqual([]);
      createValidator(schema).validate({ a: 1, b: ['x'] });
    }),
    { numRuns: 1_000 },
  );
});

/** Schemas of objects that combine others at the top, over the few names that {@link objects} have. */
const { combined } = fc.letrec<{ combined: Record<string, unknown> }>((tie) => {
  const names = fc.subarray(['a', 'b', 'x-c']);
  // What a property may be is kept from the branch that names it; this is about which properties there may be.
  const leaf = fc.constantFrom<unknown>({}, true, { type: ['integer', 'string', 'null'] });
  const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
  const branch = fc.oneof({ maxDepth: 2, depthSize: 'small' }, leaf, tie('combined'));
  const branches = fc.array(branch, { minLength: 1, maxLength: 3 });
  const record = fc.record({
    properties: some(
      fc.dictionary(fc.constantFrom('a', 'b', 'x-c'), leaf, { noNullPrototype: true }),
    ),
    patternProperties: some(fc.constantFrom({ '^x-': {} }, { '^a$': true })),
    additionalProperties: some(fc.constantFrom<unknown>(false, true, {})),
    unevaluatedProperties: some(fc.constant(false)),
    required: some(names),
    dependentSchemas: some(branch.map((dependent) => ({ a: dependent }))),
    allOf: some(branches),
    anyOf: some(branches),
    oneOf: some(branches),
    not: some(branch),
    if: some(branch),
    consequence: some(branch),
    else: some(branch),
  });
  return {
    combined: record.map((schema) => {
      const entries = Object.entries(schema)
        .filter(([, value]) => value !== undefined)
        .map(([keyword, value]) => [keyword === 'consequence' ? 'then' : keyword, value]);
      return { type: 'object', ...Object.fromEntries(entries) };
    }),
  };
});

const objects = fc.dictionary(
  fc.constantFrom('a', 'b', 'x-c'),
  fc.constantFrom<unknown>(1, 'text', null),
  {
    noNullPrototype: true,
  },
);

test('folding what is combined at the top makes a schema looser and never stricter', () => {
  fc.assert(
    fc.property(combined, fc.array(objects, { minLength: 1, maxLength: 8 }), (source, values) => {
      const foreign = fromForeignSchema(source);
      const converted = createValidator(foreign.usable ? foreign.schema : {});
      const original = createValidator(JSON.parse(JSON.stringify(source)));
      const refused = values.filter((value) => {
        const copy = JSON.parse(JSON.stringify(value));
        return original.check(copy).valid && !converted.check(copy).valid;
      });
      expect(refused).toEqual([]);
    }),
    { numRuns: process.env['TOOLWRIGHT_LONG'] === '1' ? 5_000 : 1_000 },
  );
});

test.each([
  [
    '{"if":{"required":["k"]},"then":{"properties":{"b":{}}},"properties":{"k":{}},"unevaluatedProperties":false}',
    { k: 1, b: 1 },
  ],
  ['{"anyOf":[{"patternProperties":{"^x-":{}},"additionalProperties":false}]}', { 'x-a': 1 }],
  ['{"allOf":[{"patternProperties":{"^x-":{}}}],"unevaluatedProperties":false}', { 'x-a': 1 }],
])('%s still admits %j', (source, value) => {
  const foreign = fromForeignSchema({ type: 'object', ...JSON.parse(source) });
  expect(createValidator(foreign.usable ? foreign.schema : {}).check(value).valid).toBe(true);
});
