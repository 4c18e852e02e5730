import type { JsonObject, JsonValue } from '../json/json.ts';
import { getOwn, isJsonArray, isJsonObject, setOwn } from '../json/json.ts';
import type { ReportProblem } from './normalize-schema.ts';

/** Combinations that model providers refuse at the top of a tool's schema. */
const UNIONS = ['anyOf', 'oneOf'] as const;
const DROPPED = ['not', 'if', 'then', 'else', 'enum', 'const'];

/**
 * Folds combinations at the top of a normalised schema into one object: all properties of all branches, required only
 * what every alternative requires. What the combination said is added to the description. Text is the reason why the
 * schema cannot be an object.
 */
export function foldTopLevel(schema: JsonObject, report: ReportProblem): JsonObject | string {
  const { type } = schema;
  const types = isJsonArray(type) ? type : [type ?? 'object'];
  if (!types.includes('object')) return `the top-level type is ${JSON.stringify(type)}, not object`;
  const folded: Record<string, JsonValue> = { ...schema };
  for (const keyword of DROPPED) {
    if (!Object.hasOwn(folded, keyword)) continue;
    report(`/${keyword}`, 'at the top is left to the owner of the schema');
    delete folded[keyword];
    // What it would have evaluated is not told any more.
    delete folded['unevaluatedProperties'];
  }
  for (const keyword of ['allOf', ...UNIONS] as const) {
    const { [keyword]: branches } = folded;
    if (!isJsonArray(branches)) continue;
    delete folded[keyword];
    report(`/${keyword}`, 'at the top is folded into one object');
    const objects = branches
      .map((branch) => resolveBranch(schema, branch))
      .filter((branch) => branch !== undefined);
    if (objects.length === 0) return `no branch of the top-level ${keyword} is an object`;
    fold(folded, keyword, objects);
  }
  return folded;
}

/**
 * A branch as an object schema, its reference resolved and its own combinations folded; undefined for one that admits no
 * object. What cannot be told admits any.
 */
function resolveBranch(schema: JsonObject, branch: JsonValue): JsonObject | undefined {
  if (branch === false) return undefined;
  const definitions = asObject(schema['$defs']);
  let node = asObject(branch);
  // References of a normalised schema lead to a definition at once, or back to the top.
  for (let hops = 0; typeof node['$ref'] === 'string'; hops += 1) {
    const { $ref: reference, ...rest } = node;
    const target: JsonValue | undefined = getOwn(definitions, reference.replace('#/$defs/', ''));
    if (target === false) return undefined;
    if (!isJsonObject(target) || hops > 16) return {};
    node = { ...target, ...rest };
  }
  const inner = foldTopLevel({ ...node, $defs: definitions }, () => {});
  return typeof inner === 'string' ? undefined : inner;
}

function fold(
  folded: Record<string, JsonValue>,
  keyword: 'allOf' | 'anyOf' | 'oneOf',
  branches: readonly JsonObject[],
): void {
  const properties: Record<string, JsonValue> = { ...asObject(folded['properties']) };
  for (const branch of branches) {
    for (const [name, property] of Object.entries(asObject(branch['properties']))) {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
      setOwn(properties, name, merged(known, property));
    }
  }
  folded['properties'] = properties;
  const lists = branches.map((branch) => asNames(branch['required']));
  const [first = []] = lists;
  const shared =
    keyword === 'allOf'
      ? lists.flat()
      : first.filter((name) => lists.every((list) => list.includes(name)));
  const required = [...new Set([...asNames(folded['required']), ...shared])];
  if (required.length > 0) folded['required'] = required;
  if (![folded, ...branches].every(isListed)) delete folded['unevaluatedProperties'];
  // Closed only if every branch is: one that is open, or names properties by pattern, may bring any.
  if (branches.some((branch) => !isListed(branch) || branch['additionalProperties'] !== false))
    delete folded['additionalProperties'];
  else folded['additionalProperties'] = false;
  if (keyword !== 'allOf') {
    const sentence = describeChoice(keyword, lists);
    const { description } = folded;
    folded['description'] =
      typeof description === 'string' ? `${description} ${sentence}` : sentence;
  }
}

/** Whether a branch evaluates no other properties than those that it lists. */
function isListed(branch: JsonObject): boolean {
  return (
    !['patternProperties', 'dependentSchemas'].some((keyword) => Object.hasOwn(branch, keyword)) &&
    (branch['unevaluatedProperties'] ?? false) === false &&
    (branch['additionalProperties'] ?? false) === false
  );
}

/** Two branches that say different things of one property leave both possible. */
function merged(known: JsonValue | undefined, property: JsonValue): JsonValue {
  if (known === undefined || JSON.stringify(known) === JSON.stringify(property)) return property;
  const others = isJsonObject(known) && isJsonArray(known['anyOf']) ? known['anyOf'] : [known];
  return { anyOf: [...others, property] };
}

function describeChoice(keyword: 'anyOf' | 'oneOf', lists: readonly (readonly string[])[]): string {
  const forms = lists.map((list) => (list.length === 0 ? 'nothing' : list.join(', '))).slice(0, 8);
  const count = keyword === 'oneOf' ? 'exactly one' : 'at least one';
  return `The arguments take ${count} of these forms, which require: ${forms.join('; or ')}.`;
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function asNames(value: JsonValue | undefined): readonly string[] {
  return isJsonArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
