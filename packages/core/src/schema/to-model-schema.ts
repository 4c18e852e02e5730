import type { JsonValue } from '../json/json.ts';
import { isJsonArray, isJsonObject, setOwn } from '../json/json.ts';
import { schemaKeywords, schemaListKeywords, schemaMapKeywords } from './schema-keywords.ts';
import type { JsonSchema } from './json-schema.ts';

/**
 * A canonical schema as a model's provider should see it: the same, without keywords that begin with `x-`, which some
 * providers refuse and no model needs. Every `$ref` still resolves inside it.
 */
export function toModelSchema(schema: JsonSchema): JsonSchema {
  const result: Record<string, JsonValue> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (!keyword.startsWith('x-')) setOwn(result, keyword, modelValue(keyword, value));
  }
  return result;
}

function modelValue(keyword: string, value: JsonValue): JsonValue {
  if (includes(schemaKeywords, keyword)) return modelNode(value);
  if (includes(schemaListKeywords, keyword))
    return isJsonArray(value) ? value.map(modelNode) : value;
  if (keyword === '$defs' || includes(schemaMapKeywords, keyword)) {
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, node]) => [name, modelNode(node)]));
  }
  return value;
}

function modelNode(value: JsonValue): JsonValue {
  return isJsonObject(value) ? toModelSchema(value) : value;
}

function includes(names: readonly string[], name: string): boolean {
  return names.includes(name);
}
