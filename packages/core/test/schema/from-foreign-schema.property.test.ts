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
