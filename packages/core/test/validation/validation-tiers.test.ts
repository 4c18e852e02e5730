import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { JsonSchema } from '../../src/schema/json-schema.ts';
import { createValidator } from '../../src/validation/validator.ts';
import { schemas, values } from './schema-arbitrary.ts';

const runs = process.env['TOOLWRIGHT_LONG'] === '1' ? 20_000 : 400;

test('both tiers give the same results, repairs and messages', async () => {
  let compiledOnes = 0;
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(
      schemas,
      fc.array(values, { minLength: 1, maxLength: 6 }),
      async (inner, items) => {
        const schema: JsonSchema = {
          type: 'object',
          properties: { v: inner },
          additionalProperties: false,
        };
        const interpreted = createValidator(schema, { compileAfter: Infinity });
        const compiled = createValidator(schema, { compileAfter: Infinity });
        if (await compiled.compile()) compiledOnes += 1;
        for (const v of items) {
          const expected = interpreted.validate({ v });
          expect(compiled.validate({ v })).toEqual(expected);
          expect(compiled.check({ v })).toEqual(interpreted.check({ v }));
          if (expected.valid) accepted += 1;
        }
        expect(interpreted.tier).toBe('interpreted');
      },
    ),
    { numRuns: runs },
  );
  // The comparison would mean nothing if only one side or one outcome occurred.
  expect(compiledOnes).toBeGreaterThan(runs / 2);
  expect(accepted).toBeGreaterThan(runs / 4);
});

test('a schema whose compiled code fails is interpreted again', async () => {
  // Found by the comparison above: ajv 8.20 writes to the evaluated properties that one branch has left undefined.
  const v = {
    oneOf: [{ additionalProperties: false }, true, { type: 'integer' }],
    patternProperties: { '^a': { maximum: 0 } },
  };
  const schema: JsonSchema = { type: 'object', properties: { v }, additionalProperties: false };
  const validator = createValidator(schema, { compileAfter: Infinity });
  expect(await validator.compile()).toBe(true);
  const interpreted = createValidator(schema, { compileAfter: Infinity });
  for (const value of [{ v: { a: null } }, { v: 1.5 }, { v: { b: 1 } }]) {
    expect(validator.validate(value)).toEqual(interpreted.validate(value));
  }
  expect(validator.tier).toBe('interpreted');
});

test('contains beside prefixItems is never compiled: an empty array does not contain anything', async () => {
  const schema: JsonSchema = { contains: true, prefixItems: [{ enum: [null] }] };
  const validator = createValidator(schema, { compileAfter: Infinity });
  expect(await validator.compile()).toBe(false);
  expect(validator.check([]).valid).toBe(false);
  expect(validator.check([null]).valid).toBe(true);
});

test('a schema is compiled once it is hot, and only then', async () => {
  const validator = createValidator(
    { type: 'object', properties: { a: { type: 'string' } } },
    { compileAfter: 3 },
  );
  validator.validate({ a: 'x' });
  validator.validate({ a: 'x' });
  expect(validator.tier).toBe('interpreted');
  validator.validate({ a: 'x' });
  expect(await validator.compile()).toBe(true);
  expect(validator.tier).toBe('compiled');
  expect(validator.validate({ a: 'x' })).toMatchObject({ valid: true, value: { a: 'x' } });
});

test('where generated code is forbidden the interpreter stays, with the same answers', async () => {
  const forbidden = function Function(): never {
    throw new EvalError('Code generation from strings disallowed for this context');
  };
  vi.stubGlobal('Function', forbidden);
  try {
    const validator = createValidator({ type: 'object', properties: { a: { type: 'string' } } });
    expect(await validator.compile()).toBe(false);
    expect(validator.validate({ a: 'x' })).toMatchObject({ valid: true, value: { a: 'x' } });
    expect(validator.validate({ a: [] })).toMatchObject({ valid: false });
    expect(validator.tier).toBe('interpreted');
  } finally {
    vi.unstubAllGlobals();
  }
});

test('recursive and huge schemas stay interpreted, under a bound on steps', async () => {
  const recursive: JsonSchema = {
    type: 'object',
    properties: { n: { $ref: '#/$defs/n' } },
    $defs: {
      n: {
        anyOf: [{ items: { $ref: '#/$defs/n' } }, { items: { $ref: '#/$defs/n' } }],
        type: 'array',
      },
    },
  };
  const validator = createValidator(recursive);
  expect(await validator.compile()).toBe(false);
  let n: unknown = 1;
  for (let depth = 0; depth < 100; depth += 1) n = [n];
  const started = performance.now();
  expect(validator.validate({ n })).toMatchObject({ valid: false, reason: 'too_complex' });
  expect(performance.now() - started).toBeLessThan(20_000);
});

test('definitions that double at each step are not written out', async () => {
  const definitions = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, index === 39 ? { type: 'string' } : { anyOf: [next, next] }];
    }),
  );
  const validator = createValidator({
    type: 'object',
    properties: { v: { $ref: '#/$defs/d0' } },
    $defs: definitions,
  });
  expect(await validator.compile()).toBe(false);
  expect(validator.validate({ v: 'x' }).valid).toBe(true);
  expect(validator.validate({ v: 1 })).toMatchObject({ valid: false, reason: 'too_complex' });
});
