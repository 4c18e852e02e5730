import type { JsonValue } from './json.ts';
import { isJsonArray, isJsonObject } from './json.ts';

/** Equality of JSON values as JSON Schema defines it: by value, keys in any order, own keys only. */
export function jsonEquals(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  if (isJsonArray(left)) {
    return (
      isJsonArray(right) &&
      left.length === right.length &&
      left.every((item, index) => jsonEquals(item, right[index] ?? null))
    );
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every(
      (key) => Object.hasOwn(right, key) && jsonEquals(left[key] ?? null, right[key] ?? null),
    )
  );
}
