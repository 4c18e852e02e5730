import {
  isJsonArray,
  isJsonObject,
  ToolError,
  type JsonObject,
  type JsonValue,
} from '@toolwright/core';

/** UTF-8 bytes of a value that a reference brings in, as JSON. */
const maxBoundBytes = 16_384;

/** What a reference may point into: the result of a call that succeeded. */
export interface Projection {
  readonly tool: string;
  readonly exit_code: number;
  /** The output, as JSON where it is JSON. */
  readonly output: JsonValue;
  readonly output_lines: readonly string[];
  readonly metadata: JsonObject;
  readonly structured: JsonValue;
}

/** Every reference in arguments, in the order in which they stand there. Errors: `invalid_argument` with `bad_reference`. */
export function findReferences(value: JsonValue): readonly string[] {
  if (isJsonArray(value)) return value.flatMap(findReferences);
  if (!isJsonObject(value)) return [];
  const reference = Object.hasOwn(value, '$ref') ? value['$ref'] : undefined;
  if (reference === undefined || isSchemaReference(reference)) {
    return Object.values(value).flatMap(findReferences);
  }
  if (typeof reference !== 'string')
    throw badReference('A $ref must be a string such as "id.output".');
  if (Object.keys(value).length > 1) {
    throw badReference(`{ "$ref": ${JSON.stringify(reference)} } must have no other keys.`);
  }
  if (reference.split('.').includes('')) {
    throw badReference(`The reference ${JSON.stringify(reference)} has an empty part.`);
  }
  return [reference];
}

/** The id that a reference begins with: the longest that fits, as ids may hold dots. */
export function targetOf(reference: string, ids: readonly string[]): string | undefined {
  return ids
    .filter((id) => reference === id || reference.startsWith(`${id}.`))
    .sort((a, b) => b.length - a.length)[0];
}

/**
 * Arguments with every reference replaced by what it points at. Errors: `invalid_argument` with `bad_reference` for a
 * field that is not there; `limit_exceeded` with `reference_too_large`.
 */
export function bind(value: JsonValue, resolve: (reference: string) => JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map((item) => bind(item, resolve));
  if (!isJsonObject(value)) return value;
  const { $ref: reference } = value;
  if (typeof reference === 'string' && !isSchemaReference(reference)) return resolve(reference);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, bind(item, resolve)]));
}

/** `#/$defs/…` is a part of a JSON Schema that a tool is given, not of another call's result. */
function isSchemaReference(reference: JsonValue): boolean {
  return typeof reference === 'string' && reference.startsWith('#');
}

/** The value at the path behind an id. */
export function valueAt(projection: Projection, reference: string, id: string): JsonValue {
  const path = reference === id ? [] : reference.slice(id.length + 1).split('.');
  let at: JsonValue = { ...projection };
  for (const [index, part] of path.entries()) {
    const next = step(at, part);
    if (next === undefined) {
      const here = [id, ...path.slice(0, index)].join('.');
      throw badReference(
        `${JSON.stringify(reference)} points at nothing: ${here} has no ${JSON.stringify(part)}${keysOf(at)}.`,
      );
    }
    at = next;
  }
  const bytes = Buffer.byteLength(JSON.stringify(at));
  if (bytes <= maxBoundBytes) return at;
  throw new ToolError(
    'limit_exceeded',
    `${JSON.stringify(reference)} has ${bytes} bytes; a reference brings in at most ${maxBoundBytes}. Point at a part of it.`,
    { reason: 'reference_too_large' },
  );
}

/** The projection of a result. */
export function toProjection(result: {
  readonly name: string;
  readonly exit_code: number;
  readonly output: string;
  readonly metadata: JsonObject;
  readonly structured?: JsonValue;
}): Projection {
  const { name, exit_code, output, metadata, structured = null } = result;
  return {
    tool: name,
    exit_code,
    output: parsed(output),
    output_lines: output.replace(/\n$/, '').split('\n'),
    metadata,
    structured,
  };
}

function parsed(output: string): JsonValue {
  try {
    return JSON.parse(output) as JsonValue;
  } catch {
    return output;
  }
}

function step(value: JsonValue, part: string): JsonValue | undefined {
  if (isJsonArray(value)) return /^\d{1,9}$/.test(part) ? value[Number(part)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
}

function keysOf(value: JsonValue): string {
  if (isJsonArray(value)) return `; it is a list of ${value.length}`;
  if (!isJsonObject(value)) return '';
  return `; it has ${Object.keys(value).slice(0, 12).join(', ') || 'nothing'}`;
}

function badReference(message: string): ToolError {
  return new ToolError('invalid_argument', message, { reason: 'bad_reference' });
}
