import type { JsonObject } from '../json/json.ts';
import { isJsonObject } from '../json/json.ts';
import type { SchemaKeywords } from '../schema/schema-node.ts';
import type { BuildCheck } from './array-checks.ts';
import { CheckRun, type Check } from './check-run.ts';
import { nearestProperty } from './nearest-property.ts';
import { toMatcher } from './scalar-checks.ts';
import { quoteName } from './validation-error.ts';

/** Names listed in one message. */
const MAX_LISTED_NAMES = 40;

/** The checks of objects and their properties. Own keys only, so `toString` is absent unless it was sent. */
export function objectChecks(
  schema: SchemaKeywords,
  build: BuildCheck,
  describe: (name: string) => string,
): readonly Check[] {
  const checks: Check[] = [];
  const { required, dependentRequired } = schema;
  if (required !== undefined) checks.push(requiredCheck(required, describe));
  if (
    schema.properties !== undefined ||
    schema.patternProperties !== undefined ||
    schema.additionalProperties !== undefined
  ) {
    checks.push(propertiesCheck(schema, build));
  }
  checks.push(...sizeChecks(schema));
  if (schema.propertyNames !== undefined) checks.push(namesCheck(build(schema.propertyNames)));
  for (const [name, needed] of Object.entries(dependentRequired ?? {})) {
    checks.push((value, run) => {
      if (!isJsonObject(value) || !Object.hasOwn(value, name)) return true;
      const missing = needed.filter((key) => !Object.hasOwn(value, key));
      return (
        missing.length === 0 ||
        run.fail(
          'dependentRequired',
          () => `${quoteName(name)} needs ${missing.map(quoteName).join(', ')} too`,
        )
      );
    });
  }
  for (const [name, dependent] of Object.entries(schema.dependentSchemas ?? {})) {
    const check = build(dependent);
    checks.push(
      (value, run) => !isJsonObject(value) || !Object.hasOwn(value, name) || check(value, run),
    );
  }
  return checks;
}

function requiredCheck(required: readonly string[], describe: (name: string) => string): Check {
  return (value, run) => {
    if (!isJsonObject(value)) return true;
    let valid = true;
    for (const name of required) {
      if (Object.hasOwn(value, name)) continue;
      run.fail('required', () => `required property is missing: ${describe(name)}`, name);
      if (run.errors === undefined) return false;
      valid = false;
    }
    return valid;
  };
}

function propertiesCheck(schema: SchemaKeywords, build: BuildCheck): Check {
  const named = new Map(
    Object.entries(schema.properties ?? {}).map(([name, sub]) => [name, build(sub)]),
  );
  const patterned = Object.entries(schema.patternProperties ?? {}).map(
    ([pattern, sub]) => [toMatcher(pattern), build(sub)] as const,
  );
  const allowed = { named, required: new Set(schema.required) };
  const isClosed = schema.additionalProperties === false;
  const rest =
    schema.additionalProperties === undefined || isClosed
      ? undefined
      : build(schema.additionalProperties);
  const visit = (value: JsonObject, name: string, run: CheckRun): boolean => {
    const item = value[name] ?? null;
    const check = named.get(name);
    let isKnown = check !== undefined;
    let valid = check === undefined || run.visit(name, item, check);
    for (const [matcher, patternCheck] of patterned) {
      if (!matcher.test(name)) continue;
      isKnown = true;
      if (!run.visit(name, item, patternCheck)) valid = false;
    }
    if (!isKnown) {
      if (isClosed)
        return run.fail('additionalProperties', () => unknownName(name, value, allowed), name);
      if (rest === undefined) return true;
      valid = run.visit(name, item, rest);
    }
    run.evaluated?.keys.add(name);
    return valid;
  };
  return (value, run) => {
    if (!isJsonObject(value)) return true;
    let valid = true;
    for (const name of Object.keys(value)) {
      if (visit(value, name, run)) continue;
      if (run.errors === undefined) return false;
      valid = false;
    }
    return valid;
  };
}

function sizeChecks(schema: SchemaKeywords): readonly Check[] {
  const { minProperties = 0, maxProperties = Infinity } = schema;
  if (minProperties === 0 && maxProperties === Infinity) return [];
  return [
    (value, run) => {
      if (!isJsonObject(value)) return true;
      const { length } = Object.keys(value);
      if (length < minProperties) {
        return run.fail(
          'minProperties',
          () => `must have at least ${minProperties} properties, got ${length}`,
        );
      }
      return (
        length <= maxProperties ||
        run.fail(
          'maxProperties',
          () => `must have at most ${maxProperties} properties, got ${length}`,
        )
      );
    },
  ];
}

function namesCheck(check: Check): Check {
  return (value, run) => {
    if (!isJsonObject(value)) return true;
    let valid = true;
    for (const name of Object.keys(value)) {
      if (run.probeOnly(name, check)) continue;
      valid = run.fail('propertyNames', () => 'the name of this property is not allowed', name);
    }
    return valid;
  };
}

/** The check of `unevaluatedProperties`; runs after everything else at its place. */
export function unevaluatedPropertiesCheck(check: Check): Check {
  return (value, run) => {
    if (!isJsonObject(value)) return true;
    let valid = true;
    for (const name of Object.keys(value)) {
      if (run.evaluated?.keys.has(name) === true) continue;
      if (!run.visit(name, value[name] ?? null, check)) valid = false;
      run.evaluated?.keys.add(name);
    }
    return valid;
  };
}

function unknownName(
  name: string,
  value: JsonObject,
  {
    named,
    required,
  }: { readonly named: ReadonlyMap<string, Check>; readonly required: ReadonlySet<string> },
): string {
  if (named.size === 0) return 'unknown property; none is allowed here';
  const item = value[name] ?? null;
  const allowed = [...named].map(([known, check]) => ({
    name: known,
    fits: !Object.hasOwn(value, known) && check(item, new CheckRun('first')),
    missing: required.has(known) && !Object.hasOwn(value, known),
  }));
  const nearest = nearestProperty(name, allowed);
  const hint = nearest === undefined ? '' : `; did you mean ${quoteName(nearest)}?`;
  const shown = allowed.slice(0, MAX_LISTED_NAMES).map((property) => quoteName(property.name));
  const more = allowed.length - MAX_LISTED_NAMES;
  return `unknown property${hint} allowed: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
