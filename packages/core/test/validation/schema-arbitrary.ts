import * as fc from 'fast-check';
import type { JsonSchema } from '../../src/schema/json-schema.ts';

/** Values that are near the limits of {@link schemas}, so that both outcomes are common. */
export const values: fc.Arbitrary<never> = fc
  .letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom<unknown>(null, true, false, '', 'a', 'ab', 'abc', '😀', '1', 0, 1, 2, -1),
      fc.constantFrom<unknown>(1.5, 0.3, 1e308, 2 ** 53, '2', 'true', [], {}),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(names(), tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }))
  // Plain JSON by construction.
  .value.map((value) => value as never);

/** Normalised schemas over all keywords that are compiled; every one is accepted by ajv. */
export const schemas: fc.Arbitrary<JsonSchema> = fc
  .letrec<{ schema: unknown }>((tie) => {
    const schema = tie('schema');
    const list = fc.array(schema, { minLength: 1, maxLength: 3 });
    const map = fc.dictionary(names(), schema, { maxKeys: 3 });
    const bound = fc.constantFrom(0, 1, 2, 1.5, -1);
    const size = fc.constantFrom(0, 1, 2, 3);
    const conditional = ['if', 'then', 'else'].map((keyword) => [keyword, schema] as const);
    const keywords = fc.record(
      {
        ...Object.fromEntries(conditional),
        type: fc.oneof(typeName(), fc.uniqueArray(typeName(), { minLength: 1, maxLength: 3 })),
        enum: fc.array(values, { minLength: 1, maxLength: 3 }),
        const: values,
        minimum: bound,
        maximum: bound,
        exclusiveMinimum: bound,
        exclusiveMaximum: bound,
        multipleOf: fc.constantFrom(1, 2, 0.1, 1.5),
        minLength: size,
        maxLength: size,
        pattern: fc.constantFrom('^a', 'b$', '^(a|b)+$', '^.{1}$', '(?!a)b'),
        format: fc.constantFrom('date-time', 'uint', 'email'),
        properties: map,
        required: fc.uniqueArray(names(), { maxLength: 2 }),
        additionalProperties: schema,
        patternProperties: fc.dictionary(fc.constantFrom('^a', 'b$'), schema, { maxKeys: 2 }),
        propertyNames: schema,
        minProperties: size,
        maxProperties: size,
        dependentRequired: fc.dictionary(names(), fc.uniqueArray(names(), { maxLength: 2 }), {
          maxKeys: 2,
        }),
        dependentSchemas: fc.dictionary(names(), schema, { maxKeys: 1 }),
        items: schema,
        prefixItems: list,
        contains: schema,
        minContains: fc.constantFrom(0, 1, 2),
        maxContains: fc.constantFrom(1, 2),
        minItems: size,
        maxItems: size,
        uniqueItems: fc.boolean(),
        allOf: list,
        anyOf: list,
        oneOf: list,
        not: schema,
        'x-note': values,
      },
      { requiredKeys: [] },
    );
    return {
      schema: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        fc.boolean(),
        typeName().map((type) => ({ type })),
        sparse(keywords),
      ),
    };
  })
  .schema.filter((schema) => typeof schema === 'object')
  // Plain JSON by construction.
  .map((schema) => schema as JsonSchema);

function names(): fc.Arbitrary<string> {
  return fc.constantFrom('a', 'b', 'ab', 'toString', 'constructor', 'length');
}

function typeName(): fc.Arbitrary<string> {
  return fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'boolean', 'null');
}

/** A few keywords at a time: with all of them nothing is ever valid. */
function sparse(keywords: fc.Arbitrary<object>): fc.Arbitrary<object> {
  return fc
    .tuple(keywords, fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 4 }))
    .map(([all, picks]) => {
      const entries = Object.entries(all);
      return Object.fromEntries(
        picks.flatMap((pick) => entries.slice(pick % (entries.length || 1)).slice(0, 1)),
      );
    });
}
