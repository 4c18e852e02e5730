import type { SchemaNode, SchemaKeywords } from '../schema/schema-node.ts';
import { isKeywords } from '../schema/schema-node.ts';

/** Alternatives spelled out in one description. */
const MAX_ALTERNATIVES = 20;
const MAX_DESCRIPTION_LENGTH = 400;
const MAX_NESTING = 3;

/** Finds the schema that a `$ref` names; `undefined` if there is none. */
export type ResolveReference = (reference: string) => SchemaNode | undefined;

/** Says in words what a schema allows: `an integer from 1 to 200`, `one of "a", "b"`. */
export function describeSchema(schema: SchemaNode, resolve: ResolveReference): string {
  const text = describe(schema, resolve, 0);
  return text.length > MAX_DESCRIPTION_LENGTH ? `${text.slice(0, MAX_DESCRIPTION_LENGTH)}…` : text;
}

function describe(
  schema: SchemaNode | undefined,
  resolve: ResolveReference,
  depth: number,
): string {
  if (schema === false) return 'absent';
  if (!isKeywords(schema) || depth > MAX_NESTING) return 'any value';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return describeValues(schema.enum);
  if (schema.$ref !== undefined) return describe(resolve(schema.$ref), resolve, depth + 1);
  const { type } = schema;
  if (type !== undefined) {
    const names = typeof type === 'string' ? [type] : type;
    return names.map((name) => describeType(name, schema)).join(' or ');
  }
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined && alternatives.length <= MAX_ALTERNATIVES) {
    const texts = alternatives.map((option) => describe(option, resolve, depth + 1));
    return [...new Set(texts)].join(' or ');
  }
  return 'a value of another form';
}

/** The allowed values, quoted; long lists say how many are left out. */
function describeValues(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_ALTERNATIVES).map((value) => JSON.stringify(value));
  const more = values.length - shown.length;
  const [only] = shown;
  if (values.length === 1 && only !== undefined) return only;
  return `one of ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function describeType(type: string, schema: SchemaKeywords): string {
  switch (type) {
    case 'integer':
      return `an integer${describeRange(schema.minimum, schema.maximum)}`;
    case 'number':
      return `a number${describeRange(schema.minimum, schema.maximum)}`;
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'array':
      return `an array${describeCount(schema.minItems, schema.maxItems)}`;
    case 'object':
      return 'an object';
    default:
      return describeText(schema);
  }
}

function describeText(schema: SchemaKeywords): string {
  const kind = schema.minLength === 1 ? 'a non-empty string' : 'a string';
  return schema.pattern === undefined
    ? kind
    : `${kind} that matches ${schema.pattern.slice(0, 120)}`;
}

function describeRange(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}

function describeCount(least: number | undefined, most: number | undefined): string {
  if (least === undefined && most === undefined) return '';
  return ` of ${most === undefined ? `at least ${least}` : `${least ?? 0} to ${most}`} items`;
}
