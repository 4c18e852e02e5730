import type { JsonArray, JsonObject, JsonValue } from '../json/json.ts';
import { isJsonArray, isJsonObject, setOwn } from '../json/json.ts';
import { appendPointer } from '../json/json-pointer.ts';
import { CheckBuilder } from '../validation/build-check.ts';
import { CheckRun } from '../validation/check-run.ts';
import { compilePattern } from '../validation/pattern/compile-pattern.ts';
import { breakSelfReferences } from './break-self-references.ts';
import { keywordReader, readNamesByName } from './read-keyword.ts';
import type { Place, SchemaDocument } from './schema-document.ts';
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

/** Where a schema is being read. */
interface Context extends Place {
  /** Whether an object here may be closed: not inside `allOf` and other parts that only narrow. */
  readonly closable: boolean;
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
/** Sub-schemas that narrow the same value: closing an object there would forbid what its siblings list. */
const NARROWING = new Set(['allOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);
/** Keywords with which an object may get properties from elsewhere. */
const COMPOSING = [
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
  readonly #defaults: { readonly at: string; readonly owner: Record<string, JsonValue> }[] = [];

  constructor(document: SchemaDocument, options: NormalizeOptions) {
    this.#document = document;
    this.#options = options;
  }

  /** The whole document, with the definitions that it uses. */
  normalize(): JsonObject {
    const { root } = this.#document;
    this.#names.set(root, { closed: '#', open: '#' });
    const context = { pointer: '', resource: root, depth: 0, closable: this.#options.close };
    const schema = { ...this.#convertObject(root, context) };
    if (Object.keys(this.#definitions).length > 0) schema['$defs'] = this.#definitions;
    breakSelfReferences(schema, this.#options.report);
    this.#checkDefaults(schema);
    return freeze(schema);
  }

  #convert(raw: JsonValue | undefined, context: Context): JsonValue {
    if (typeof raw === 'boolean') return raw;
    if (!isJsonObject(raw)) {
      this.#options.report(context.pointer, 'is no schema');
      return true;
    }
    if (context.depth > MAX_DEPTH) {
      this.#options.report(context.pointer, `is nested deeper than ${MAX_DEPTH} schemas`);
      return true;
    }
    return this.#convertObject(raw, this.#document.enter(raw, context));
  }

  #convertObject(raw: JsonObject, context: Context): Record<string, JsonValue> {
    const result: Record<string, JsonValue> = {};
    const onlyAnnotations = Object.hasOwn(raw, '$ref') && this.#document.ignoresSiblings;
    for (const [keyword, value] of Object.entries(raw)) {
      if (
        DROPPED.has(keyword) ||
        (onlyAnnotations && keyword !== '$ref' && !ANNOTATIONS.has(keyword))
      )
        continue;
      this.#convertKeyword({ raw, result, keyword, value }, context);
    }
    this.#finish(raw, result, context);
    return result;
  }

  #convertKeyword(entry: KeywordEntry, context: Context): void {
    const { raw, result, keyword, value } = entry;
    const inner = this.#inside(context, keyword);
    const problem = (message: string): undefined => {
      this.#options.report(inner.pointer, message);
    };
    const set = (read: JsonValue | undefined): void => {
      if (read !== undefined) setOwn(result, keyword, read);
    };
    const reader = keywordReader(keyword);
    if (reader !== undefined) set(reader(value, problem, raw));
    else if (keyword === 'items' && isJsonArray(value)) this.#convertTuple(raw, result, inner);
    else if (isOneOf(schemaKeywords, keyword)) set(this.#convert(value, inner));
    else if (isOneOf(schemaListKeywords, keyword)) set(this.#convertList(value, inner));
    else if (keyword === 'properties') this.#convertProperties(value, result, inner);
    else if (isOneOf(schemaMapKeywords, keyword)) set(this.#convertMap(value, inner));
    else if (keyword === '$ref') set(this.#reference(value, context));
    else if (keyword === '$dynamicRef' || keyword === '$recursiveRef') {
      problem('is not supported; use $ref');
    } else if (keyword === 'pattern') set(this.#pattern(value, inner.pointer));
    else if (keyword === 'required') this.#required(value, result, inner.pointer);
    else if (keyword === 'dependencies') this.#dependencies(value, result, inner);
    else if (keyword !== 'x-clamp' || !this.#options.foreign) set(value);
  }

  #inside(context: Context, step: string | number): Context {
    const closable = context.closable && !(typeof step === 'string' && NARROWING.has(step));
    return {
      ...context,
      closable,
      pointer: appendPointer(context.pointer, step),
      depth: context.depth + 1,
    };
  }

  /** The array form of `items` is `prefixItems`, and `additionalItems` then is `items`. */
  #convertTuple(raw: JsonObject, result: Record<string, JsonValue>, context: Context): void {
    const prefix = this.#convertList(raw['items'], context);
    if (prefix !== undefined) result['prefixItems'] = prefix;
    if (raw['additionalItems'] !== undefined)
      result['items'] = this.#convert(raw['additionalItems'], context);
  }

  #convertList(value: JsonValue | undefined, context: Context): JsonValue | undefined {
    if (!isJsonArray(value) || value.length === 0) {
      this.#options.report(context.pointer, 'is a list of schemas');
      return undefined;
    }
    return value.map((item, index) => this.#convert(item, this.#inside(context, index)));
  }

  #convertMap(value: JsonValue, context: Context): JsonValue | undefined {
    if (!isJsonObject(value)) {
      this.#options.report(context.pointer, 'maps names to schemas');
      return undefined;
    }
    const result: Record<string, JsonValue> = {};
    for (const [name, item] of Object.entries(value)) {
      const inner = this.#inside(context, name);
      if (
        context.pointer.endsWith('/patternProperties') &&
        this.#pattern(name, inner.pointer) === undefined
      )
        continue;
      setOwn(result, name, this.#convert(item, { ...inner, closable: context.closable }));
    }
    return result;
  }

  #convertProperties(value: JsonValue, result: Record<string, JsonValue>, context: Context): void {
    if (!isJsonObject(value)) {
      this.#options.report(context.pointer, 'maps names to schemas');
      return;
    }
    const properties = { ...value };
    const { required } = properties;
    // A frequent slip: `required` one level too deep. No property has an array for a schema.
    if (isJsonArray(required)) {
      this.#options.report(
        `${context.pointer}/required`,
        'stands one level too deep; it belongs beside properties',
      );
      delete properties['required'];
      this.#required([...required, ...asArray(result['required'])], result, context.pointer);
    }
    if (this.#options.foreign) this.#liftRequired(properties, result, context.pointer);
    const converted = this.#convertMap(properties, context);
    if (converted !== undefined) result['properties'] = converted;
  }

  /** Draft-03: `required: true` on the property itself. */
  #liftRequired(properties: JsonObject, result: Record<string, JsonValue>, pointer: string): void {
    const names = Object.entries(properties).flatMap(([name, item]) =>
      isJsonObject(item) && item['required'] === true ? [name] : [],
    );
    if (names.length === 0) return;
    this.#options.report(
      pointer,
      `has properties that say required themselves: ${names.join(', ')}`,
    );
    this.#required([...names, ...asArray(result['required'])], result, pointer);
  }

  #required(value: JsonValue, result: Record<string, JsonValue>, at: string): void {
    if (typeof value === 'boolean' && this.#options.foreign) return;
    const names = isJsonArray(value) ? value.filter((name) => typeof name === 'string') : [];
    if (!isJsonArray(value) || names.length !== value.length)
      this.#options.report(at, 'is a list of names');
    const all = new Set([...asArray(result['required']), ...names]);
    if (all.size > 0) result['required'] = [...all];
  }

  /** Draft-07: what 2020-12 splits in `dependentRequired` and `dependentSchemas`. */
  #dependencies(value: JsonValue, result: Record<string, JsonValue>, context: Context): void {
    const entries = Object.entries(isJsonObject(value) ? value : {});
    const lists = Object.fromEntries(entries.filter(([, item]) => isJsonArray(item)));
    const schemas = Object.fromEntries(entries.filter(([, item]) => !isJsonArray(item)));
    const names = readNamesByName(lists, (message): undefined => {
      this.#options.report(context.pointer, message);
    });
    if (names !== undefined && Object.keys(lists).length > 0) result['dependentRequired'] = names;
    const converted = this.#convertMap(schemas, { ...context, closable: false });
    if (converted !== undefined && Object.keys(schemas).length > 0) {
      result['dependentSchemas'] = converted;
    }
  }

  /** A pattern that has no linear match stays for the model to read, and is never checked. */
  #pattern(value: JsonValue, at: string): JsonValue | undefined {
    const compiled =
      typeof value === 'string' ? compilePattern(value) : { ok: false, reason: 'invalid' };
    if (compiled.ok) return value;
    if (compiled.reason === 'invalid') {
      this.#options.report(at, 'is no regular expression');
      return undefined;
    }
    this.#options.report(at, 'cannot be matched in linear time, so it is not checked');
    return value;
  }

  #reference(value: JsonValue, context: Context): JsonValue | undefined {
    const at = appendPointer(context.pointer, '$ref');
    const found = this.#document.resolve(value, context.resource);
    if (typeof found === 'string') {
      this.#options.report(at, found);
      return undefined;
    }
    const { node } = found;
    const kind = context.closable ? 'closed' : 'open';
    const names = this.#names.get(node) ?? {};
    this.#names.set(node, names);
    let name = names[kind];
    if (name === undefined) {
      name = this.#nameFor(found.name);
      names[kind] = name;
      // Named before it is read: it may refer to itself.
      setOwn(this.#definitions, name, true);
      const definition = this.#convert(node, {
        ...found.place,
        depth: context.depth + 1,
        closable: context.closable,
      });
      setOwn(this.#definitions, name, definition);
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

  #finish(raw: JsonObject, result: Record<string, JsonValue>, context: Context): void {
    if (this.#options.foreign && raw['nullable'] === true) allowNull(result);
    const listsProperties =
      result['properties'] !== undefined && result['additionalProperties'] === undefined;
    if (
      context.closable &&
      listsProperties &&
      !COMPOSING.some((keyword) => Object.hasOwn(result, keyword))
    ) {
      if (result['patternProperties'] === undefined) result['additionalProperties'] = false;
    }
    if (result['default'] !== undefined)
      this.#defaults.push({ at: context.pointer, owner: result });
    if (result['x-clamp'] === true && !isClampable(result)) {
      this.#options.report(
        `${context.pointer}/x-clamp`,
        'needs an integer or a number with a minimum or maximum',
      );
    }
  }

  /** A default that its own schema refuses would make every call without that property fail. */
  #checkDefaults(schema: JsonObject): void {
    const builder = new CheckBuilder(toKeywords(schema));
    for (const { at, owner } of this.#defaults) {
      const { default: value } = owner;
      if (value === undefined || !isSchemaNode(owner) || !isKeywords(owner)) continue;
      if (builder.build(owner)(value, new CheckRun('first'))) continue;
      this.#options.report(`${at}/default`, 'is refused by its own schema');
      delete owner['default'];
    }
  }
}

function freeze<Value extends JsonValue>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(name);
}

function asArray(value: JsonValue | undefined): JsonArray {
  return isJsonArray(value) ? value : [];
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
