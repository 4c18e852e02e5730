import type { JsonObject } from '../json/json.ts';
import { isJsonObject } from '../json/json.ts';
import { snapshotJson } from '../json/snapshot-json.ts';

/** UTF-8 bytes of a schema as JSON text. */
const MAX_SCHEMA_BYTES = 256 * 1024;
const MAX_SCHEMA_DEPTH = 256;

/** A private frozen copy of a schema as plain JSON, an object; or, as text, why there is none. */
export function readSchemaData(source: unknown): JsonObject | string {
  const limits = { maxDepth: MAX_SCHEMA_DEPTH, maxBytes: MAX_SCHEMA_BYTES * 4 };
  const snapshot = snapshotJson(source, limits);
  if (!snapshot.ok) {
    const { path, message } = snapshot.problem;
    return path === '' ? message : `at ${path} ${message}`;
  }
  if (!isJsonObject(snapshot.value)) return 'is no object';
  if (snapshot.units * 8 <= MAX_SCHEMA_BYTES) return snapshot.value;
  const { length } = new TextEncoder().encode(JSON.stringify(snapshot.value));
  return length > MAX_SCHEMA_BYTES ? `exceeds ${MAX_SCHEMA_BYTES} bytes` : snapshot.value;
}
