import type { JsonObject, JsonValue } from '../json/json.ts';
import { isJsonArray, isJsonObject } from '../json/json.ts';

/** Reports what is wrong with the keyword at hand. */
export type Problem = (message: string) => undefined;

const TYPES: readonly string[] = [
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
];
/** Names that other systems use for the same thing. */
const TYPE_ALIASES: Readonly<Record<string, string>> = {
  int: 'integer',
  int32: 'integer',
  int64: 'integer',
  long: 'integer',
  float: 'number',
  double: 'number',
  str: 'string',
  text: 'string',
  bool: 'boolean',
  list: 'array',
  dict: 'object',
  map: 'object',
  none: 'null',
};

/** Reads the value of one keyword; `undefined` leaves the keyword out. */
type Reader = (value: JsonValue, problem: Problem, raw: JsonObject) => JsonValue | undefined;

/** Keywords whose values hold no schemas. All others are read by who knows about sub-schemas, or kept as they are. */
const READERS: Readonly<Record<string, Reader>> = {
  type: readType,
  enum: (value, problem) =>
    isJsonArray(value) && value.length > 0 ? value : problem('is a list of values'),
  uniqueItems: readFlag,
  title: readText,
  description: readText,
  format: readText,
  minLength: readCount,
  maxLength: readCount,
  minItems: readCount,
  maxItems: readCount,
  minProperties: readCount,
  maxProperties: readCount,
  minContains: readCount,
  maxContains: readCount,
  multipleOf: (value, problem) =>
    typeof value === 'number' && value > 0 ? value : problem('is a number greater than 0'),
  // In draft-04 the exclusive bounds are flags that say how `minimum` and `maximum` are meant.
  minimum: (value, problem, raw) =>
    raw['exclusiveMinimum'] === true ? undefined : readNumber(value, problem),
  maximum: (value, problem, raw) =>
    raw['exclusiveMaximum'] === true ? undefined : readNumber(value, problem),
  exclusiveMinimum: (value, problem, raw) => readExclusive(value, problem, raw['minimum']),
  exclusiveMaximum: (value, problem, raw) => readExclusive(value, problem, raw['maximum']),
  dependentRequired: readNamesByName,
};

/** The reader of a keyword whose value holds no schemas. */
export function keywordReader(keyword: string): Reader | undefined {
  return Object.hasOwn(READERS, keyword) ? READERS[keyword] : undefined;
}

/** Reads `type`: one name, or a list without doubles. `any` and unknown names mean no restriction. */
function readType(value: JsonValue, problem: Problem): JsonValue | undefined {
  const names = isJsonArray(value) ? value : [value];
  const read: string[] = [];
  for (const name of names) {
    const known = typeof name === 'string' && TYPES.includes(name);
    if (!known) problem(`has no type ${JSON.stringify(name)}`);
    const meant = known ? name : typeof name === 'string' ? aliasOf(name) : undefined;
    if (meant === undefined) return undefined;
    if (!read.includes(meant)) read.push(meant);
  }
  if (read.length === 0) return problem('is a type or a list of types');
  return read.length === 1 ? read[0] : Object.freeze(read);
}

function aliasOf(name: string): string | undefined {
  const plain = name.toLowerCase();
  if (TYPES.includes(plain)) return plain;
  return Object.hasOwn(TYPE_ALIASES, plain) ? TYPE_ALIASES[plain] : undefined;
}

function readCount(value: JsonValue, problem: Problem): JsonValue | undefined {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  return problem('is a whole number of at least 0');
}

function readNumber(value: JsonValue | undefined, problem: Problem): JsonValue | undefined {
  return typeof value === 'number' ? value : problem('is a number');
}

function readExclusive(
  value: JsonValue,
  problem: Problem,
  inclusive: JsonValue | undefined,
): JsonValue | undefined {
  if (value === false) return undefined;
  return readNumber(value === true ? inclusive : value, problem);
}

function readText(value: JsonValue, problem: Problem): JsonValue | undefined {
  return typeof value === 'string' ? value : problem('is a text');
}

function readFlag(value: JsonValue, problem: Problem): JsonValue | undefined {
  return typeof value === 'boolean' ? value : problem('is true or false');
}

/** Reads lists of names by name; used for the same part of `dependencies` too. */
export function readNamesByName(value: JsonValue, problem: Problem): JsonValue | undefined {
  const isNames = (list: JsonValue): boolean =>
    isJsonArray(list) && list.every((name) => typeof name === 'string');
  if (isJsonObject(value) && Object.values(value).every(isNames)) {
    const lists = Object.entries(value);
    return Object.fromEntries(
      lists.map(([name, list]) => [name, isJsonArray(list) ? [...new Set(list)] : list]),
    );
  }
  return problem('maps names to lists of names');
}
