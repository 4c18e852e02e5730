import { canonicalJson } from '../json/canonical-json.ts';
import type { JsonValue } from '../json/json.ts';
import { isJsonArray, isJsonObject, isRecord } from '../json/json.ts';
import { assertPlainZod } from './assert-plain-zod.ts';

/** The value of `~standard` if an input is a schema of a library and not plain JSON Schema. */
export function standardOf(input: unknown): Readonly<Record<string, unknown>> | undefined {
  const isObject = (typeof input === 'object' && input !== null) || typeof input === 'function';
  if (!isObject || !('~standard' in input)) return undefined;
  const standard: unknown = input['~standard'];
  return isRecord(standard) ? standard : undefined;
}

/**
 * The JSON Schema of a library's schema (Standard JSON Schema: zod 4.2 and later, and others). Only what JSON Schema can
 * say is accepted: the kernel validates by the JSON Schema alone and never calls the library, so a transform would not
 * run and a refinement would not be checked.
 *
 * @param fail throws with the message.
 */
export function describeStandardSchema(
  input: unknown,
  standard: Readonly<Record<string, unknown>>,
  fail: (message: string) => never,
): unknown {
  const { jsonSchema, vendor } = standard;
  if (!isRecord(jsonSchema) || typeof jsonSchema['input'] !== 'function') {
    return fail(
      `a schema of ${String(vendor)} needs Standard JSON Schema (zod 4.2 or later), or write plain JSON Schema`,
    );
  }
  if (vendor === 'zod') assertPlainZod(input, fail);
  const given = side(jsonSchema, 'input', fail);
  if (vendor !== 'zod' && typeof jsonSchema['output'] === 'function') {
    const taken = side(jsonSchema, 'output', fail);
    if (comparable(given) !== comparable(taken))
      fail('has a transform: what goes in differs from what comes out');
  }
  return given;
}

function side(
  jsonSchema: Readonly<Record<string, unknown>>,
  name: 'input' | 'output',
  fail: (message: string) => never,
): unknown {
  const convert = jsonSchema[name];
  try {
    if (typeof convert === 'function') return convert.call(jsonSchema, { target: 'draft-2020-12' });
  } catch (error) {
    return fail(
      `cannot be said in JSON Schema: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return undefined;
}

/** Both sides of a plain schema differ only in what defaults and closing say. */
function comparable(schema: unknown): string {
  const strip = (value: JsonValue): JsonValue => {
    if (isJsonArray(value)) return value.map(strip);
    if (!isJsonObject(value)) return value;
    const kept = Object.entries(value).filter(
      ([keyword, item]) =>
        keyword !== 'default' &&
        !(keyword === 'required' && isJsonArray(item)) &&
        !(keyword === 'additionalProperties' && typeof item === 'boolean'),
    );
    return Object.fromEntries(kept.map(([keyword, item]) => [keyword, strip(item)]));
  };
  return canonicalJson(strip(JSON.parse(JSON.stringify(schema ?? null))));
}
