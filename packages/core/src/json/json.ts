/** A value that survives `JSON.stringify` and `JSON.parse` unchanged. */
export type JsonValue = string | number | boolean | null | JsonArray | JsonObject;

/** A JSON array; contract data is never mutated. */
export type JsonArray = readonly JsonValue[];

/** A JSON object; contract data is never mutated. Only own keys count: a key may be called `toString` or `__proto__`. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Narrows to a JSON object: neither an array nor `null`. Looks at the outermost value only. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Narrows to a JSON array. The platform's own check loses the element type of a read-only array. */
export function isJsonArray(value: JsonValue | undefined): value is JsonArray {
  return Array.isArray(value);
}

/** The JSON name of a value's type. Whole numbers are `number` here; `integer` is a schema's word. */
export function jsonTypeOf(value: JsonValue): JsonTypeName {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'object';
}

/** The types that JSON itself has. */
export type JsonTypeName = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

/** Narrows anything to an object whose keys can be read, arrays included. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/**
 * Sets an own key of an object that is still being built.
 * Plain assignment to `__proto__` would replace the prototype; `JSON.parse` makes it an own key, and so does this.
 */
export function setOwn<Value>(target: Record<string, Value>, key: string, value: Value): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
    return;
  }
  target[key] = value;
}

/** Reads an own key; what the prototype offers (`toString`, `constructor`) is `undefined`. */
export function getOwn<Value>(
  source: Readonly<Record<string, Value>>,
  key: string,
): Value | undefined {
  return Object.hasOwn(source, key) ? source[key] : undefined;
}
