/** A value that survives `JSON.stringify` and `JSON.parse` unchanged. */
export type JsonValue = string | number | boolean | null | JsonArray | JsonObject;

/** A JSON array; contract data is never mutated. */
export type JsonArray = readonly JsonValue[];

/** A JSON object; contract data is never mutated. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
