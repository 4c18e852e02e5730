import type { JsonObject, JsonValue } from '../json/json.ts';
import { isJsonArray, isJsonObject, setOwn } from '../json/json.ts';
import { appendPointer } from '../json/json-pointer.ts';
import { CheckBuilder } from '../validation/build-check.ts';
import type { Check } from '../validation/check-run.ts';
import { CheckRun } from '../validation/check-run.ts';
import { isTooComplex } from '../validation/complexity-error.ts';
import { compilePattern } from '../validation/pattern/compile-pattern.ts';
import { breakSelfReferences } from './break-self-references.ts';
import { keywordReader, readNamesByName } from './read-keyword.ts';
import type { SchemaDocument } from './schema-document.ts';
import { isResource } from './schema-document.ts';
import { SchemaPlace } from './schema-place.ts';
import { schemaKeywords, schemaListKeywords, schemaMapKeywords } from './schema-keywords.ts';
import { isKeywords, isSchemaNode, toKeywords } from './schema-node.ts';

/** Told of everything that is no valid JSON Schema; throws in the strict mode, and what is wrong is then left out. */
export type ReportProblem = (pointer: string, message: string) => void;

/** What a normaliser does beyond reading the schema. */
export interface NormalizeOptions {
  readonly report: ReportProblem;
  /** Close objects that list their properties and do not say whether others may be there. */
  readonly close: boolean;
  /** Read OpenAPI's `nullable` and draft-03's `required: true`; drop `x-clamp`, which is ours. */
  readonly foreign: boolean;
}

/** One keyword of a schema that is being rewritten. */
interface KeywordEntry {
  readonly raw: JsonObject;
  readonly result: Record<string, JsonValue>;
  readonly keyword: string;
  readonly value: JsonValue;
}

/** Schemas inside each other before a schema is taken for hostile. */
const MAX_DEPTH = 64;
/** Keywords that say what else an object may hold. */
const OPENING = [
  'additionalProperties',
  'patternProperties',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'dependentSchemas',
  '$ref',
  'unevaluatedProperties',
];
/** Read elsewhere, or meaningless in a document of its own. */
const DROPPED = new Set([
  '$schema',
  '$id',
  'id',
  '$anchor',
  '$dynamicAnchor',
  '$recursiveAnchor',
  '$vocabulary',
  '$defs',
  'definitions',
  'additionalItems',
  'nullable',
]);
/** Keywords beside `$ref` that count before 2019-09. */
const ANNOTATIONS = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  '$comment',
  'readOnly',
  'writeOnly',
]);

/**
 * Rewrites a JSON Schema of any common dialect in the 2020-12 form, self-contained: every `$ref` is `#` or points into
 * the top-level `$defs`, which holds what is referred to and nothing else.
 */
export class SchemaNormalizer {
  readonly #document: SchemaDocument;
  readonly #options: NormalizeOptions;
  readonly #definitions: Record<string, JsonValue> = {};
  readonly #names = new Map<JsonObject, { closed?: string; open?: string }>();
  readonly #defaults: { readonly place: SchemaPlace; readonly owner: Record<string, JsonValue> }[] =
    [];

  constructor(document: SchemaDocument, options: NormalizeOptions) {
    this.#document = document;
    this.#options = options;
  }

  /** The whole document, with the definitions that it uses. */
  normalize(): JsonObject {
    const { root } = this.#document;
    this.#names.set(root, { closed: '#', open: '#' });
    const place = SchemaPlace.at('', { resource: root, depth: 0, closable: this.#options.close });
    const schema = { ...this.#convertObject(root, place) };
    if (Object.keys(this.#definitions).length > 0) schema['$defs'] = this.#definitions;
    breakSelfReferences(schema, this.#options.report);
    this.#checkDefaults(schema);
    return freeze(schema);
  }

  #convert(raw: JsonValue | undefined, place: SchemaPlace): JsonValue {
    if (typeof raw === 'boolean') return raw;
    if (!isJsonObject(raw)) {
      this.#options.report(place.pointer, 'is no schema');
      return true;
    }
    if (place.depth > MAX_DEPTH) {
      this.#options.report(place.pointer, `is nested deeper than ${MAX_DEPTH} schemas`);
      return true;
    }
    return this.#convertObject(raw, isResource(raw) ? place.inResource(raw) : place);
  }

  #convertObject(raw: JsonObject, place: SchemaPlace): Record<string, JsonValue> {
    const result: Record<string, JsonValue> = {};
    const onlyAnnotations = Object.hasOwn(raw, '$ref') && this.#document.ignoresSiblings;
    for (const [keyword, value] of Object.entries(raw)) {
      const counts = !onlyAnnotations || keyword === '$ref' || ANNOTATIONS.has(keyword);
      if (counts && !DROPPED.has(keyword)) {
        this.#convertKeyword({ raw, result, keyword, value }, place);
      }
    }
    this.#finish(raw, result, place);
    return result;
  }

  #convertKeyword(entry: KeywordEntry, place: SchemaPlace): void {
    const { raw, result, keyword, value } = entry;
    const reader = keywordReader(keyword);
    const read =
      reader === undefined
        ? this.#convertPart(entry, place)
        : reader(value, (message) => this.#problem(place, keyword, message), raw);
    if (read !== undefined) setOwn(result, keyword, read);
  }

  /** Keywords that hold schemas, or mean something to those beside them; `undefined` where the work is done. */
  #convertPart(entry: KeywordEntry, place: SchemaPlace): JsonValue | undefined {
    const { raw, result, keyword, value } = entry;
    if (isOneOf(schemaKeywords, keyword)) {
      if (keyword === 'items' && isJsonArray(value)) return this.#convertTuple(raw, result, place);
      return this.#convert(value, place.keyword(keyword));
    }
    if (isOneOf(schemaListKeywords, keyword))
      return this.#convertList(value, place.keyword(keyword));
    if (keyword === 'properties') return this.#convertProperties(value, result, place);
    if (isOneOf(schemaMapKeywords, keyword)) return this.#convertMap(value, place.keyword(keyword));
    switch (keyword) {
      case '$ref':
        return this.#reference(value, place);
      case 'pattern':
        return this.#pattern(value, () => appendPointer(place.pointer, keyword));
      case 'required':
        return this.#required(value, result, place.keyword(keyword));
      case 'dependencies':
        return this.#dependencies(value, result, place);
      case '$dynamicRef':
      case '$recursiveRef':
        return this.#problem(place, keyword, 'is not supported; use $ref');
      case 'x-clamp':
        return this.#options.foreign ? undefined : value;
      default:
        return value;
    }
  }

  #problem(place: SchemaPlace, step: string, message: string): undefined {
    this.#options.report(appendPointer(place.pointer, step), message);
  }

  /** The array form of `items` is `prefixItems`, and `additionalItems` then is `items`. */
  #convertTuple(raw: JsonObject, result: Record<string, JsonValue>, place: SchemaPlace): undefined {
    const prefix = this.#convertList(raw['items'], place.keyword('items'));
    if (prefix !== undefined) result['prefixItems'] = prefix;
    const { additionalItems: rest } = raw;
    if (rest !== undefined) result['items'] = this.#convert(rest, place.keyword('additionalItems'));
  }

  #convertList(value: JsonValue | undefined, place: SchemaPlace): JsonValue | undefined {
    if (isJsonArray(value) && value.length > 0) {
      return value.map((item, index) => this.#convert(item, place.entry(index)));
    }
    this.#options.report(place.pointer, 'is a list of schemas');
    return undefined;
  }

  #convertMap(value: JsonValue, place: SchemaPlace): JsonObject | undefined {
    if (!isJsonObject(value)) {
      this.#options.report(place.pointer, 'maps names to schemas');
      return undefined;
    }
    const result: Record<string, JsonValue> = {};
    for (const name of Object.keys(value)) {
      const isPattern = place.step === 'patternProperties';
      if (isPattern && this.#pattern(name, () => place.entry(name).pointer) === undefined) continue;
      setOwn(result, name, this.#convert(value[name], place.entry(name)));
    }
    return result;
  }

  #convertProperties(
    value: JsonValue,
    result: Record<string, JsonValue>,
    place: SchemaPlace,
  ): JsonObject | undefined {
    const inner = place.keyword('properties');
    if (!isJsonObject(value)) return this.#convertMap(value, inner);
    const { required, ...others } = value;
    // A frequent slip: `required` one level too deep. No property has an array for a schema.
    if (isJsonArray(required)) {
      this.#problem(inner, 'required', 'stands one level too deep; it belongs beside properties');
      this.#required(required, result, inner);
    }
    if (this.#options.foreign) this.#liftRequired(value, result, inner);
    return this.#convertMap(isJsonArray(required) ? others : value, inner);
  }

  /** Draft-03: `required: true` on the property itself. */
  #liftRequired(
    properties: JsonObject,
    result: Record<string, JsonValue>,
    place: SchemaPlace,
  ): void {
    const names = Object.keys(properties).filter((name) => {
      const property = properties[name];
      return isJsonObject(property) && property['required'] === true;
    });
    if (names.length === 0) return;
    const list = names.join(', ');
    this.#options.report(place.pointer, `has properties that say required themselves: ${list}`);
    this.#required(names, result, place);
  }

  /** Adds to the names that are required already. */
  #required(value: JsonValue, result: Record<string, JsonValue>, place: SchemaPlace): undefined {
    // A flag is read where the property is listed.
    if (typeof value === 'boolean' && this.#options.foreign) return;
    const names = isJsonArray(value) ? value.filter((name) => typeof name === 'string') : [];
    if (!isJsonArray(value) || names.length !== value.length) {
      this.#options.report(place.pointer, 'is a list of names');
    }
    const { required: known } = result;
    const all = new Set(isJsonArray(known) ? [...known, ...names] : names);
    if (all.size > 0) result['required'] = [...all];
  }

  /** Draft-07: what 2020-12 splits in `dependentRequired` and `dependentSchemas`. */
  #dependencies(
    value: JsonValue,
    result: Record<string, JsonValue>,
    place: SchemaPlace,
  ): undefined {
    const inner = place.keyword('dependencies');
    const entries = Object.entries(isJsonObject(value) ? value : {});
    const lists = Object.fromEntries(entries.filter(([, item]) => isJsonArray(item)));
    const schemas = Object.fromEntries(entries.filter(([, item]) => !isJsonArray(item)));
    const names = readNamesByName(lists, (message): undefined => {
      this.#options.report(inner.pointer, message);
    });
    if (names !== undefined && Object.keys(lists).length > 0) result['dependentRequired'] = names;
    const converted = this.#convertMap(schemas, inner);
    if (converted !== undefined && Object.keys(schemas).length > 0) {
      result['dependentSchemas'] = converted;
    }
  }

  /** A pattern that has no linear match stays for the model to read, and is never checked. */
  #pattern(value: JsonValue, pointer: () => string): JsonValue | undefined {
    const compiled =
      typeof value === 'string' ? compilePattern(value) : { ok: false, reason: 'invalid' };
    if (compiled.ok) return value;
    if (compiled.reason === 'invalid') {
      this.#options.report(pointer(), 'is no regular expression');
      return undefined;
    }
    this.#options.report(pointer(), 'cannot be matched in linear time, so it is not checked');
    return value;
  }

  #reference(value: JsonValue, place: SchemaPlace): JsonValue | undefined {
    const found = this.#document.resolve(value, place.resource);
    if (typeof found === 'string') return this.#problem(place, '$ref', found);
    const { node } = found;
    const kind = place.closable ? 'closed' : 'open';
    const names = this.#names.get(node) ?? {};
    this.#names.set(node, names);
    let name = names[kind];
    if (name === undefined) {
      name = this.#nameFor(found.name);
      names[kind] = name;
      // Named before it is read: it may refer to itself.
      setOwn(this.#definitions, name, true);
      const { pointer, resource } = found;
      const { closable, depth } = place;
      const target = SchemaPlace.at(pointer, { resource, closable, depth: depth + 1 });
      setOwn(this.#definitions, name, this.#convert(node, target));
    }
    return name === '#' ? '#' : `#/$defs/${name}`;
  }

  #nameFor(wanted: string): string {
    const base = wanted.replaceAll(/[^\w.-]/gu, '_') || 'definition';
    let name = base;
    for (
      let count = 2;
      Object.hasOwn(this.#definitions, name) || name === '__proto__';
      count += 1
    ) {
      name = `${base}_${count}`;
    }
    return name;
  }

  #finish(raw: JsonObject, result: Record<string, JsonValue>, place: SchemaPlace): void {
    if (this.#options.foreign && raw['nullable'] === true) allowNull(result);
    if (place.closable && isClosable(result)) result['additionalProperties'] = false;
    if (result['default'] !== undefined) this.#defaults.push({ place, owner: result });
    if (result['x-clamp'] === true && !isClampable(result)) {
      this.#problem(place, 'x-clamp', 'needs an integer or a number with a minimum or maximum');
    }
  }

  /** A default that its own schema refuses would make every call without that property fail. */
  #checkDefaults(schema: JsonObject): void {
    if (this.#defaults.length === 0) return;
    const builder = new CheckBuilder(toKeywords(schema));
    for (const { place, owner } of this.#defaults) {
      const { default: value } = owner;
      if (value === undefined || !isSchemaNode(owner) || !isKeywords(owner)) continue;
      if (passes(builder.build(owner), value)) continue;
      this.#problem(place, 'default', 'is refused by its own schema');
      delete owner['default'];
    }
  }
}

function passes(check: Check, value: JsonValue): boolean {
  try {
    return check(value, new CheckRun('first'));
  } catch (error) {
    if (isTooComplex(error)) return false;
    throw error;
  }
}

function freeze<Value extends JsonValue>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const key of Object.keys(value)) freeze((value as JsonObject)[key] ?? null);
  return Object.freeze(value);
}

function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(name);
}

/** Lists its properties, does not say whether others may be there, and gets none from elsewhere. */
function isClosable(result: JsonObject): boolean {
  return (
    result['properties'] !== undefined && !OPENING.some((keyword) => Object.hasOwn(result, keyword))
  );
}

function isClampable(result: JsonObject): boolean {
  const isNumber = result['type'] === 'integer' || result['type'] === 'number';
  return isNumber && (result['minimum'] !== undefined || result['maximum'] !== undefined);
}

/** OpenAPI 3.0: `nullable: true` adds null to the type and to the listed values. */
function allowNull(result: Record<string, JsonValue>): void {
  const { type, enum: values } = result;
  if (typeof type === 'string' && type !== 'null') result['type'] = [type, 'null'];
  if (isJsonArray(values) && !values.includes(null)) result['enum'] = [...values, null];
}
