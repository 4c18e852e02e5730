import type { JsonValue } from '../json/json.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import {
  schemaKeywords,
  schemaListKeywords,
  schemaMapKeywords,
} from '../schema/schema-keywords.ts';
import type { SchemaKeywords, SchemaNode } from '../schema/schema-node.ts';
import { isKeywords, toKeywords } from '../schema/schema-node.ts';
import type { ResolveReference } from './describe-schema.ts';

/** What decides how a schema is handled, found in one walk over it. */
export interface SchemaFacts {
  /** No default, only defaults of top-level properties with scalar values, or any others. */
  readonly defaults: 'none' | 'flat' | 'deep';
  /** Names a property that every object inherits, such as `toString`. */
  readonly namesInherited: boolean;
  /** Whether generated code is safe and worth it: no recursion, no `unevaluated` keyword, not huge. */
  readonly compilable: boolean;
}

/** Schema nodes, counted with every `$ref` written out, up to which a schema is compiled. */
const MAX_NODES = 2_000;

/** Walks a normalised schema once, references included. */
export function schemaFacts(schema: JsonSchema, resolve: ResolveReference): SchemaFacts {
  const walk = new FactsWalk(resolve);
  const root = toKeywords(schema);
  walk.visit(root);
  const flat = Object.values(root.properties ?? {}).filter(hasScalarDefault).length;
  const some = walk.defaults === flat && walk.compilable ? 'flat' : 'deep';
  return {
    defaults: walk.defaults === 0 && walk.nodes <= MAX_NODES ? 'none' : some,
    namesInherited: walk.namesInherited,
    compilable: walk.compilable,
  };
}

function hasScalarDefault(node: SchemaNode): boolean {
  return isKeywords(node) && node.default !== undefined && typeof node.default !== 'object';
}

/**
 * ajv handles `false` well where it closes an object or a list. Elsewhere its code can skip the keywords that follow:
 * `{ prefixItems: [false], contains: true }` accepts `[]`.
 */
function isClosing(keyword: string): boolean {
  return keyword === 'additionalProperties' || keyword === 'items';
}

/** ajv compares containers through `valueOf` and `constructor`, which may be keys of the data. */
function isContainer(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null;
}

class FactsWalk {
  nodes = 0;
  defaults = 0;
  namesInherited = false;
  compilable = true;
  readonly #resolve: ResolveReference;
  readonly #open = new Set<string>();

  constructor(resolve: ResolveReference) {
    this.#resolve = resolve;
  }

  visit(node: SchemaNode): void {
    this.nodes += 1;
    if (this.nodes > MAX_NODES) this.compilable = false;
    if (!this.compilable && this.nodes > MAX_NODES) return;
    if (node === false) this.compilable = false;
    if (!isKeywords(node)) return;
    if (node.default !== undefined) this.defaults += 1;
    if (node.unevaluatedItems !== undefined || node.unevaluatedProperties !== undefined) {
      this.compilable = false;
    }
    if ([node.const ?? null, ...(node.enum ?? [])].some(isContainer)) this.compilable = false;
    // ajv 8 takes an empty array for one that contains what it must where `prefixItems` stands beside it.
    if (node.contains !== undefined && node.prefixItems !== undefined) this.compilable = false;
    this.#visitNames(node);
    if (node.$ref !== undefined) this.#follow(node.$ref);
    for (const keyword of schemaKeywords) {
      const child = node[keyword];
      if (child === undefined || (child === false && isClosing(keyword))) continue;
      this.visit(child);
    }
    for (const keyword of schemaListKeywords) node[keyword]?.forEach((child) => this.visit(child));
    for (const keyword of schemaMapKeywords) {
      Object.values(node[keyword] ?? {}).forEach((child) => this.visit(child));
    }
  }

  #visitNames(node: SchemaKeywords): void {
    const names = [
      ...Object.keys(node.properties ?? {}),
      ...Object.keys(node.dependentSchemas ?? {}),
      ...Object.keys(node.dependentRequired ?? {}),
      ...Object.values(node.dependentRequired ?? {}).flat(),
      ...(node.required ?? []),
    ];
    for (const name of names) {
      if (name in Object.prototype) this.namesInherited = true;
      // ajv skips this one name.
      if (name === '__proto__') this.compilable = false;
    }
  }

  #follow(reference: string): void {
    const target = this.#open.has(reference) ? undefined : this.#resolve(reference);
    if (target === undefined || reference === '#') {
      this.compilable = false;
      return;
    }
    this.#open.add(reference);
    this.visit(target);
    this.#open.delete(reference);
  }
}
