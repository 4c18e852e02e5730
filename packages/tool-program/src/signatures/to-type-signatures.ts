import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ToolDefinition,
} from '@toolwright/core';

/** Levels of a schema that are written out; what lies deeper is `unknown`. */
const maxDepth = 6;
/** Characters of one signature; a larger one is shortened to what it takes as a whole. */
const maxSignatureUnits = 4_000;

/** How signatures are written. */
export interface TypeSignatureOptions {
  /** Characters of the whole text; tools that do not fit are named in its last line. Default 60,000. */
  readonly maxUnits?: number;
}

/**
 * TypeScript declarations of tools as a program sees them: `tools.read(args: { … }): Promise<CallRecord>`, with the
 * first sentence of each description above. For prompts and editors; made from the tools' JSON Schemas alone.
 */
export function toTypeSignatures(
  definitions: readonly ToolDefinition[],
  { maxUnits = 60_000 }: TypeSignatureOptions = {},
): string {
  const lines: string[] = [];
  const left: string[] = [];
  let units = header.length;
  for (const definition of definitions) {
    const text = `  /** ${firstSentence(definition.description)} */\n  ${toTypeSignature(definition)};\n`;
    units += text.length;
    if (units > maxUnits) left.push(definition.name);
    else lines.push(text);
  }
  const rest =
    left.length === 0
      ? ''
      : `  // Not shown: ${left.join(', ')}. Use ctx.catalog.describe(name).\n`;
  return `${header}${lines.join('')}${rest}}\n`;
}

/** One tool as a method: `read(args: { file_path?: string }): Promise<CallRecord>`. */
export function toTypeSignature({ name, parameters, output }: ToolDefinition): string {
  const scope = { root: parameters, open: [] };
  const args = typeOf(parameters, scope, 0);
  const isOptional =
    !isJsonArray(parameters['required'] ?? []) || listOf(parameters['required']).length === 0;
  const result =
    output === undefined
      ? 'CallRecord'
      : `CallRecord<${typeOf(output, { root: output, open: [] }, 0)}>`;
  const signature = `${propertyName(name)}(args${isOptional ? '?' : ''}: ${args}, options?: CallOptions): Promise<${result}>`;
  return signature.length <= maxSignatureUnits
    ? signature
    : `${propertyName(name)}(args: Record<string, unknown>, options?: CallOptions): Promise<CallRecord>`;
}

const header = `interface CallOptions { throwOnError?: boolean }
interface CallRecord<Structured = unknown> {
  name: string; ok: boolean; output: string; truncated: boolean; outputBytes: number; text: string; exitCode: 0 | 1;
  error: { type: string; reason?: string; message: string; retryable: boolean } | null;
  metadata: Record<string, unknown>; structured?: Structured; trust: 'workspace_data' | 'external' | 'trusted';
}
interface Tools {
`;

interface Scope {
  readonly root: JsonObject;
  /** References that are being written out, so that a recursive schema ends. */
  readonly open: readonly string[];
}

function typeOf(schema: JsonValue | undefined, scope: Scope, depth: number): string {
  if (schema === undefined || !isJsonObject(schema) || depth > maxDepth) return 'unknown';
  const { $ref: reference } = schema;
  if (typeof reference === 'string') {
    if (scope.open.includes(reference)) return 'unknown';
    return typeOf(
      resolve(scope.root, reference),
      { ...scope, open: [...scope.open, reference] },
      depth,
    );
  }
  if ('const' in schema) return literal(schema['const']);
  const { enum: values, anyOf, oneOf, allOf } = schema;
  if (values !== undefined && isJsonArray(values))
    return union(values.map((value) => literal(value)));
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined && isJsonArray(alternatives)) {
    return union(alternatives.map((each) => typeOf(each, scope, depth + 1)));
  }
  if (allOf !== undefined && isJsonArray(allOf)) {
    const parts = allOf.map((each) => typeOf(each, scope, depth + 1));
    return parts.map((part) => (part.includes(' | ') ? `(${part})` : part)).join(' & ');
  }
  const { type } = schema;
  if (type !== undefined && isJsonArray(type)) {
    return union(type.map((each) => typeOf({ ...schema, type: each }, scope, depth)));
  }
  return typeOfKind(schema, scope, depth);
}

function typeOfKind(schema: JsonObject, scope: Scope, depth: number): string {
  switch (schema['type']) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema['type'];
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      const items = typeOf(schema['items'], scope, depth + 1);
      return /^[\w.]+$/.test(items) ? `${items}[]` : `Array<${items}>`;
    }
    case 'object':
      return objectType(schema, scope, depth);
    case undefined:
      return 'properties' in schema ? objectType(schema, scope, depth) : 'unknown';
    default:
      return 'unknown';
  }
}

function objectType(schema: JsonObject, scope: Scope, depth: number): string {
  const { properties = {}, additionalProperties } = schema;
  const required = listOf(schema['required']);
  const members = isJsonObject(properties)
    ? Object.entries(properties).map(
        ([key, value]) =>
          `${propertyName(key)}${required.includes(key) ? '' : '?'}: ${typeOf(value, scope, depth + 1)}`,
      )
    : [];
  if (members.length > 0) return `{ ${members.join('; ')} }`;
  if (additionalProperties === false) return '{}';
  const values =
    additionalProperties === undefined || !isJsonObject(additionalProperties)
      ? 'unknown'
      : typeOf(additionalProperties, scope, depth + 1);
  return `Record<string, ${values}>`;
}

/** A local reference (`#/$defs/x`); anything else is no schema. */
function resolve(root: JsonObject, reference: string): JsonValue | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let at: JsonValue | undefined = root;
  for (const part of reference.slice(2).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = at !== undefined && isJsonObject(at) ? at[key] : undefined;
  }
  return at;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ') || 'never';
}

function literal(value: JsonValue | undefined): string {
  return typeof value === 'object' && value !== null ? 'unknown' : JSON.stringify(value ?? null);
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return value !== undefined && isJsonArray(value) ? value : [];
}

/** One line that cannot end the comment it stands in. */
function firstSentence(text: string): string {
  const [sentence = ''] = text.trim().split(/(?<=[.!?])\s/, 1);
  return sentence.replace(/\s+/g, ' ').replaceAll('*/', '*\\/').slice(0, 200);
}
