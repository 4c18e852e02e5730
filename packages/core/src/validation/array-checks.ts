import { isJsonArray } from '../json/json.ts';
import type { SchemaNode, SchemaKeywords } from '../schema/schema-node.ts';
import type { Check } from './check-run.ts';
import { areUnique } from './scalar-checks.ts';

/** Builds the check of a sub-schema. */
export type BuildCheck = (schema: SchemaNode) => Check;

/** The checks of arrays and their items. */
export function arrayChecks(schema: SchemaKeywords, build: BuildCheck): readonly Check[] {
  const checks: Check[] = [];
  const { minItems, maxItems, uniqueItems } = schema;
  if (minItems !== undefined) {
    checks.push(
      (value, run) =>
        !isJsonArray(value) ||
        value.length >= minItems ||
        run.fail('minItems', () => `must have at least ${minItems} items, got ${value.length}`),
    );
  }
  if (maxItems !== undefined) {
    checks.push(
      (value, run) =>
        !isJsonArray(value) ||
        value.length <= maxItems ||
        run.fail('maxItems', () => `must have at most ${maxItems} items, got ${value.length}`),
    );
  }
  if (schema.prefixItems !== undefined || schema.items !== undefined) {
    checks.push(itemsCheck(schema, build));
  }
  if (uniqueItems === true) {
    checks.push(
      (value, run) =>
        !isJsonArray(value) ||
        areUnique(value) ||
        run.fail('uniqueItems', () => 'must not have equal items'),
    );
  }
  if (schema.contains !== undefined) checks.push(containsCheck(schema, build(schema.contains)));
  return checks;
}

function itemsCheck(schema: SchemaKeywords, build: BuildCheck): Check {
  const prefix = (schema.prefixItems ?? []).map(build);
  const rest = schema.items === undefined ? undefined : build(schema.items);
  return (value, run) => {
    if (!isJsonArray(value)) return true;
    let valid = true;
    for (let index = 0; index < value.length; index += 1) {
      const check = prefix[index] ?? rest;
      if (check === undefined) break;
      run.evaluated?.items.add(index);
      if (run.visit(index, value[index] ?? null, check)) continue;
      if (run.errors === undefined) return false;
      valid = false;
    }
    return valid;
  };
}

function containsCheck(schema: SchemaKeywords, check: Check): Check {
  const least = schema.minContains ?? 1;
  const most = schema.maxContains ?? Infinity;
  return (value, run) => {
    if (!isJsonArray(value)) return true;
    let found = 0;
    for (const [index, item] of value.entries()) {
      if (!run.probeOnly(item, check)) continue;
      run.evaluated?.items.add(index);
      found += 1;
    }
    if (found < least) {
      return run.fail('contains', () => `must have at least ${least} matching items, got ${found}`);
    }
    return (
      found <= most ||
      run.fail('contains', () => `must have at most ${most} matching items, got ${found}`)
    );
  };
}

/** The check of `unevaluatedItems`; runs after everything else at its place. */
export function unevaluatedItemsCheck(check: Check): Check {
  return (value, run) => {
    if (!isJsonArray(value)) return true;
    let valid = true;
    for (const [index, item] of value.entries()) {
      if (run.evaluated?.items.has(index) === true) continue;
      if (!run.visit(index, item, check)) valid = false;
      run.evaluated?.items.add(index);
    }
    return valid;
  };
}
