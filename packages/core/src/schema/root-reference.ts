import type { JsonObject } from '../json/json.ts';
import { SchemaDocument } from './schema-document.ts';

/** References at the top that lead to a schema which is a reference itself. */
const MAX_HOPS = 16;

/** The document with a top-level `$ref` replaced by what it names; keywords beside it win. */
export function inlineRootReference(document: JsonObject): JsonObject {
  let root = document;
  for (let hops = 0; hops < MAX_HOPS && root['$ref'] !== undefined; hops += 1) {
    const { $ref: reference, ...rest } = root;
    const found = new SchemaDocument(root).resolve(reference, root);
    // What names nothing is reported where the reference is read.
    if (typeof found === 'string') break;
    root = { ...found.node, ...rest };
  }
  return root;
}
