import { canonicalJson } from '../json/canonical-json.ts';
import type { JsonValue } from '../json/json.ts';
import { jsonTypeOf } from '../json/json.ts';
import { jsonEquals } from '../json/json-equals.ts';
import type { SchemaKeywords } from '../schema/schema-node.ts';
import type { Check } from './check-run.ts';
import { compilePattern } from './pattern/compile-pattern.ts';

/** How far from a whole number a quotient may be for `multipleOf`: decimal fractions are inexact. */
export const MULTIPLE_OF_DIGITS = 9;

/** Whether a value is of one of the schema's types; whole numbers are `integer` and `number`. */
export function isOfType(value: JsonValue, types: readonly string[]): boolean {
  const type = jsonTypeOf(value);
  return (
    types.includes(type) ||
    (type === 'number' && Number.isInteger(value) && types.includes('integer'))
  );
}

/** The schema's `type` as a list; `undefined` if any type will do. */
export function typesOf(schema: SchemaKeywords): readonly string[] | undefined {
  const { type } = schema;
  return typeof type === 'string' ? [type] : type;
}

/** `a string`, `an array`, `null`: the type found, never the value, which may be long or secret. */
export function foundType(value: JsonValue): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') {
    return String(value);
  }
  const type = jsonTypeOf(value);
  return `${/^[ao]/u.test(type) ? 'an' : 'a'} ${type}`;
}

/** The check of `type`. */
export function typeCheck(schema: SchemaKeywords, allowed: () => string): Check | undefined {
  const types = typesOf(schema);
  if (types === undefined) return undefined;
  return (value, run) =>
    isOfType(value, types) ||
    run.fail('type', () => `must be ${allowed()}, got ${foundType(value)}`);
}

/** The checks of `enum`, `const`, and of numbers and strings. */
export function scalarChecks(schema: SchemaKeywords, allowed: () => string): readonly Check[] {
  const checks: Check[] = [];
  if (schema.enum !== undefined) {
    checks.push(valueCheck('enum', schema.enum, allowed));
  }
  if (schema.const !== undefined) {
    checks.push(valueCheck('const', [schema.const], allowed));
  }
  checks.push(...numberChecks(schema), ...stringChecks(schema));
  return checks;
}

function valueCheck(keyword: string, values: readonly JsonValue[], allowed: () => string): Check {
  const texts = new Set(values.filter((value) => typeof value === 'string'));
  const others = values.filter((value) => typeof value !== 'string');
  return (value, run) =>
    (typeof value === 'string'
      ? texts.has(value)
      : others.some((other) => jsonEquals(other, value))) ||
    run.fail(keyword, () => `must be ${allowed()}`);
}

function numberChecks(schema: SchemaKeywords): readonly Check[] {
  const checks: Check[] = [];
  const add = (
    keyword: string,
    limit: number | undefined,
    test: (value: number, limit: number) => boolean,
  ): void => {
    if (limit === undefined) return;
    checks.push(
      (value, run) =>
        typeof value !== 'number' ||
        test(value, limit) ||
        run.fail(
          keyword,
          () => `must be ${BOUND_WORDS[keyword] ?? keyword} ${limit}, got ${value}`,
        ),
    );
  };
  add('minimum', schema.minimum, (value, limit) => value >= limit);
  add('maximum', schema.maximum, (value, limit) => value <= limit);
  add('exclusiveMinimum', schema.exclusiveMinimum, (value, limit) => value > limit);
  add('exclusiveMaximum', schema.exclusiveMaximum, (value, limit) => value < limit);
  add('multipleOf', schema.multipleOf, isMultipleOf);
  return checks;
}

const BOUND_WORDS: Readonly<Record<string, string>> = {
  minimum: 'at least',
  maximum: 'at most',
  exclusiveMinimum: 'greater than',
  exclusiveMaximum: 'less than',
  multipleOf: 'a multiple of',
};

function isMultipleOf(value: number, unit: number): boolean {
  const quotient = value / unit;
  return !(Math.abs(Math.round(quotient) - quotient) > 10 ** -MULTIPLE_OF_DIGITS);
}

function stringChecks(schema: SchemaKeywords): readonly Check[] {
  const checks: Check[] = [];
  const { minLength, maxLength, pattern } = schema;
  if (minLength !== undefined) {
    checks.push(
      (value, run) =>
        typeof value !== 'string' ||
        hasAtLeast(value, minLength) ||
        run.fail('minLength', () => `must have at least ${minLength} characters`),
    );
  }
  if (maxLength !== undefined) {
    checks.push(
      (value, run) =>
        typeof value !== 'string' ||
        !hasAtLeast(value, maxLength + 1) ||
        run.fail('maxLength', () => `must have at most ${maxLength} characters`),
    );
  }
  if (pattern !== undefined) {
    const matcher = toMatcher(pattern);
    checks.push(
      (value, run) =>
        typeof value !== 'string' ||
        matcher.test(value) ||
        run.fail('pattern', () => `must match ${pattern.slice(0, 200)}`),
    );
  }
  return checks;
}

/** The matcher of a pattern; one that cannot be matched in linear time is an annotation, like an unknown keyword. */
export function toMatcher(pattern: string): { test(text: string): boolean } {
  const compiled = compilePattern(pattern);
  return compiled.ok ? compiled.pattern : { test: () => true };
}

/** Whether a text has so many code points, looking at no more of it than needed. */
function hasAtLeast(text: string, count: number): boolean {
  if (text.length < count) return false;
  if (text.length >= count * 2) return true;
  let seen = 0;
  for (let index = 0; index < text.length && seen < count; seen += 1) {
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  }
  return seen >= count;
}

/** Whether all items differ, in time that grows with their size and not with its square. */
export function areUnique(items: readonly JsonValue[]): boolean {
  const seen = new Set<string>();
  return items.every((item) => {
    const text = canonicalJson(item);
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew;
  });
}
