import type { JsonObject } from '../json/json.ts';

/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = JsonObject;
