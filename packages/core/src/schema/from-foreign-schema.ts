import type { JsonObject, JsonValue } from '../json/json.ts';
import { isJsonArray } from '../json/json.ts';
import { foldTopLevel } from './fold-top-level.ts';
import type { JsonSchema } from './json-schema.ts';
import { SchemaNormalizer } from './normalize-schema.ts';
import { readSchemaData } from './read-schema-data.ts';
import { inlineRootReference } from './root-reference.ts';
import { SchemaDocument } from './schema-document.ts';

/** A foreign schema made usable, with what had to be done; or the reason why it cannot be. */
export type ForeignSchema =
  | { readonly usable: true; readonly schema: JsonSchema; readonly warnings: readonly string[] }
  | { readonly usable: false; readonly reason: string };

/** Warnings kept for one schema; what follows is counted in the last. */
const MAX_WARNINGS = 16;

/**
 * Makes the schema of a third party (an MCP server) usable: any dialect becomes 2020-12, what is no JSON Schema is left
 * out and told, and nothing is ever fetched. The result is looser than the original where the original cannot be kept,
 * never stricter; its owner validates again. Never throws. One thing is kept although it may be stricter: a property has the form
 * that a branch gives it, also where another branch says nothing of it.
 *
 * - an input: an object at the top; a missing schema is an empty object, combinations at the top are folded into it;
 * - an output: as it is, of any type.
 */
export function fromForeignSchema(
  source: unknown,
  role: 'input' | 'output' = 'input',
): ForeignSchema {
  const warnings: string[] = [];
  const report = (pointer: string, message: string): void => {
    warnings.push(`${pointer === '' ? 'the schema' : pointer} ${message}`);
  };
  if (source === undefined || source === null || source === true) {
    report('', 'is missing');
    return usable(role === 'input' ? { type: 'object', properties: {} } : {}, warnings);
  }
  const data = readSchemaData(source);
  if (typeof data === 'string') return { usable: false, reason: `the schema ${data}` };
  const document = new SchemaDocument(inlineRootReference(data));
  if (document.unknownDialect !== undefined) {
    report(
      '/$schema',
      `names no known dialect (${document.unknownDialect.slice(0, 100)}); it is read as 2020-12`,
    );
  }
  const schema = new SchemaNormalizer(document, {
    report,
    close: false,
    foreign: true,
  }).normalize();
  if (role === 'output') return usable(schema, warnings);
  const folded = foldTopLevel(schema, report);
  return typeof folded === 'string'
    ? { usable: false, reason: folded }
    : usable(withObjectType(folded), warnings);
}

function usable(schema: JsonObject, warnings: readonly string[]): ForeignSchema {
  const kept = warnings.slice(0, MAX_WARNINGS);
  if (warnings.length > kept.length) kept.push(`${warnings.length - kept.length} more`);
  return { usable: true, schema: Object.freeze(schema), warnings: kept };
}

function withObjectType(schema: JsonObject): JsonObject {
  const { type, properties = {}, ...rest } = schema;
  const described: Record<string, JsonValue> = { type: 'object', properties, ...rest };
  // `["object", "null"]` at the top: arguments are always an object.
  return isJsonArray(type) || type === 'object' || type === undefined ? described : schema;
}
