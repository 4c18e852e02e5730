import { expect } from 'vitest';
import type { JsonSchema } from '../../src/schema/json-schema.ts';
import type { ValidationResult } from '../../src/validation/validator.ts';
import { createValidator } from '../../src/validation/validator.ts';

/** Validates in both tiers, which must agree, and returns the one answer. */
export async function validate(schema: JsonSchema, value: unknown): Promise<ValidationResult> {
  const validator = createValidator(schema, { compileAfter: Infinity });
  const interpreted = validator.validate(value);
  await validator.compile();
  expect(validator.validate(value)).toEqual(interpreted);
  return interpreted;
}

/** A result without errors. */
export function accepted(
  value: unknown,
  changes: { readonly repairs?: unknown; readonly clamped?: unknown } = {},
): unknown {
  return { valid: true, value, repairs: [], clamped: [], errors: [], ...changes };
}
