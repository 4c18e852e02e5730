import type { JsonValue } from '../json/json.ts';
import type { JsonSchema } from './json-schema.ts';
import { isRecord } from '../json/json.ts';

/** The type names of JSON Schema. */
export type SchemaTypeName =
  | 'object'
  | 'array'
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'null';

/**
 * A place in a JSON Schema (2020-12) seen as keywords, or the schema that allows everything or nothing.
 * Unknown keywords, formats and `x-` keywords never affect what is valid.
 */
export type SchemaNode = boolean | SchemaKeywords;

/** The keywords of a normalised schema: their values have the right types, which normalising has checked. */
export interface SchemaKeywords {
  readonly $schema?: string;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
  readonly $comment?: string;

  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly JsonValue[];
  readonly deprecated?: boolean;
  /** Value of an absent property; the kernel puts it in before effects are computed. */
  readonly default?: JsonValue;

  readonly type?: SchemaTypeName | readonly SchemaTypeName[];
  readonly enum?: readonly JsonValue[];
  readonly const?: JsonValue;

  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: SchemaNode;
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly propertyNames?: SchemaNode;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly dependentSchemas?: Readonly<Record<string, SchemaNode>>;
  readonly unevaluatedProperties?: SchemaNode;

  readonly items?: SchemaNode;
  readonly prefixItems?: readonly SchemaNode[];
  readonly contains?: SchemaNode;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly unevaluatedItems?: SchemaNode;

  /** Code points, not UTF-16 units. */
  readonly minLength?: number;
  /** Code points, not UTF-16 units. */
  readonly maxLength?: number;
  /** ECMA-262 with the `u` flag, matched in linear time. */
  readonly pattern?: string;
  /** An annotation: no format is checked. */
  readonly format?: string;

  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;

  readonly allOf?: readonly SchemaNode[];
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly not?: SchemaNode;
  readonly if?: SchemaNode;
  readonly then?: SchemaNode;
  readonly else?: SchemaNode;

  /**
   * Ours: this number is a limit, a size or a time. A positive value outside `minimum` and `maximum` is moved to the
   * nearer bound and reported instead of refused; zero, negatives below `minimum` and other types stay errors.
   */
  readonly 'x-clamp'?: boolean;
}

/** Narrows to a node with keywords; the other form is the boolean. */
export function isKeywords(node: SchemaNode | undefined): node is SchemaKeywords {
  return typeof node === 'object';
}

/** The keywords of a normalised schema. */
export function toKeywords(schema: JsonSchema): SchemaKeywords {
  // Same data, seen through its keywords; `toInputSchema` and `fromForeignSchema` have checked their types.
  return schema;
}

/** A value found inside a normalised schema as the sub-schema that it must be. */
export function isSchemaNode(value: unknown): value is SchemaNode {
  return typeof value === 'boolean' || (isRecord(value) && !Array.isArray(value));
}
