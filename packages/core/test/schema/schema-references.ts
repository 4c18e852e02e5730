import type { JsonObject, JsonValue } from '../../src/json/json.ts';
import { isJsonArray, isJsonObject } from '../../src/json/json.ts';
import {
  schemaKeywords,
  schemaListKeywords,
  schemaMapKeywords,
} from '../../src/schema/schema-keywords.ts';

/** Every `$ref` of a schema, and whether it resolves inside the schema. */
export function references(schema: JsonObject): readonly [string, boolean][] {
  const found: [string, boolean][] = [];
  const visit = (node: JsonValue | undefined): void => {
    if (!isJsonObject(node)) return;
    const { $ref: reference } = node;
    if (typeof reference === 'string') {
      const name = reference.replace('#/$defs/', '');
      const { $defs: definitions = {} } = schema;
      found.push([reference, reference === '#' || Object.hasOwn(Object(definitions), name)]);
    }
    for (const keyword of schemaKeywords) visit(node[keyword]);
    for (const keyword of schemaListKeywords) {
      const list = node[keyword];
      if (isJsonArray(list)) list.forEach(visit);
    }
    for (const keyword of [...schemaMapKeywords, '$defs']) {
      const map = node[keyword];
      if (isJsonObject(map)) Object.values(map).forEach(visit);
    }
  };
  visit(schema);
  return found;
}
