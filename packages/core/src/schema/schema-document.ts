import type { JsonObject, JsonValue } from '../json/json.ts';
import { getOwn, isJsonArray, isJsonObject } from '../json/json.ts';
import { fromPointer } from '../json/json-pointer.ts';

/** What a reference names. */
export interface Reference {
  readonly node: JsonObject;
  /** JSON pointer or anchor of the node. */
  readonly pointer: string;
  readonly resource: JsonObject;
  /** A name for it, from the reference. */
  readonly name: string;
}

/** Dialects, without scheme and trailing `#`. */
const DIALECTS: readonly string[] = [
  'json-schema.org/draft/2020-12/schema',
  'json-schema.org/draft/2019-09/schema',
  'json-schema.org/draft-07/schema',
  'json-schema.org/draft-06/schema',
  'json-schema.org/draft-04/schema',
  'json-schema.org/schema',
];

/** Where a reference leads, in one document of any dialect. Nothing is ever fetched. */
export class SchemaDocument {
  readonly root: JsonObject;
  /** Before 2019-09 the keywords beside a `$ref` do not count. */
  readonly ignoresSiblings: boolean;
  /** The `$schema` that is none of the known dialects; it is then read as 2020-12. */
  readonly unknownDialect: string | undefined;
  #index: ReadonlyMap<string, JsonObject> | undefined;

  constructor(root: JsonObject) {
    this.root = root;
    const { $schema: dialect } = root;
    const plain =
      typeof dialect === 'string'
        ? dialect.replace(/^https?:\/\//u, '').replace(/#$/u, '')
        : undefined;
    this.unknownDialect = plain === undefined || DIALECTS.includes(plain) ? undefined : plain;
    this.ignoresSiblings = plain !== undefined && /draft-0[467]\//u.test(plain);
  }

  /** What a `$ref` names, through chains of references; or why it names nothing. */
  resolve(reference: JsonValue, resource: JsonObject): Reference | string {
    if (typeof reference !== 'string') return 'is a text';
    const seen = new Set<JsonObject>();
    let found = this.#find(reference, resource);
    while (typeof found !== 'string' && isPureReference(found.node)) {
      if (seen.has(found.node)) return `${quote(reference)} leads back to itself`;
      seen.add(found.node);
      const { $ref: next } = found.node;
      found = typeof next === 'string' ? this.#find(next, found.resource) : 'is a text';
    }
    return found;
  }

  #find(reference: string, resource: JsonObject): Reference | string {
    const [address = '', fragment = ''] = split(reference);
    const base = address === '' ? resource : this.#lookUp(address);
    if (base === undefined)
      return `${quote(reference)} points outside the schema, and nothing is fetched`;
    const pointer = decode(fragment);
    const steps = fromPointer(pointer);
    if (steps === undefined) {
      const anchored = this.#lookUp(`#${pointer}`);
      if (anchored === undefined) return `${quote(reference)} names nothing in the schema`;
      return { node: anchored, pointer, resource, name: pointer };
    }
    let node: JsonValue | undefined = base;
    for (const step of steps) {
      if (isJsonArray(node)) node = node[Number(step)];
      else node = isJsonObject(node) ? getOwn(node, step) : undefined;
    }
    // A boolean schema has no identity; as an object it says the same.
    if (typeof node === 'boolean') node = node ? {} : { not: {} };
    if (!isJsonObject(node)) return `${quote(reference)} names nothing in the schema`;
    return { node, pointer, resource: base, name: steps.at(-1) ?? 'root' };
  }

  /** Schemas by `$id`, and by `#` and their anchor. */
  #lookUp(key: string): JsonObject | undefined {
    this.#index ??= buildIndex(this.root);
    return this.#index.get(key);
  }
}

function buildIndex(root: JsonObject): ReadonlyMap<string, JsonObject> {
  const index = new Map<string, JsonObject>();
  const visit = (value: JsonValue): void => {
    if (isJsonArray(value)) value.forEach(visit);
    if (!isJsonObject(value)) return;
    for (const keyword of ['$id', 'id', '$anchor', '$dynamicAnchor']) {
      const id = getOwn(value, keyword);
      if (typeof id !== 'string') continue;
      const key = keyword.endsWith('nchor') ? `#${id}` : id.replace(/(?<=.)#$/u, '');
      if (!index.has(key)) index.set(key, value);
    }
    Object.values(value).forEach(visit);
  };
  visit(root);
  return index;
}

/** Whether a schema has an `$id` of its own, which references inside it are relative to. */
export function isResource(node: JsonObject): boolean {
  const { $id: id } = node;
  return typeof id === 'string' && !id.startsWith('#');
}

function isPureReference(node: JsonObject): boolean {
  return Object.hasOwn(node, '$ref') && Object.keys(node).every((keyword) => keyword === '$ref');
}

function split(reference: string): readonly string[] {
  const hash = reference.indexOf('#');
  return hash < 0 ? [reference] : [reference.slice(0, hash), reference.slice(hash + 1)];
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function quote(reference: string): string {
  return JSON.stringify(reference.slice(0, 200));
}
