import type { JsonValue } from './json.ts';
import { isJsonArray } from './json.ts';

/** How deep {@link canonicalJson} follows containers before it refuses. */
const MAX_DEPTH = 1_000;

/**
 * Writes a JSON value so that equal values give equal text: keys sorted by UTF-16 code units, no white
 * space, numbers and escapes as ECMAScript writes them (RFC 8785). `-0` is `0`. A lone surrogate is written
 * as its escape, where RFC 8785 would refuse it. Own keys with the value `undefined` are left out, as
 * `JSON.stringify` does.
 *
 * @throws TypeError for what is no JSON (a function, `NaN`, a bigint, `undefined` in an array) and for
 *   nesting beyond 1,000 levels, cycles included.
 */
export function canonicalJson(value: JsonValue): string {
  return write(value, 0);
}

function write(value: JsonValue, depth: number): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${value} is no JSON number`);
    return JSON.stringify(value);
  }
  if (typeof value === 'boolean' || value === null) return String(value);
  if (typeof value !== 'object') throw new TypeError(`a ${typeof value} is no JSON value`);
  if (depth >= MAX_DEPTH) throw new TypeError(`nested deeper than ${MAX_DEPTH} levels`);
  if (isJsonArray(value)) {
    return `[${Array.from(value, (item) => write(item, depth + 1)).join(',')}]`;
  }
  let text = '';
  for (const key of Object.keys(value).sort()) {
    const item = value[key];
    // JSON.parse gives no undefined, but objects built in code have it for an absent option.
    if (item === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${write(item, depth + 1)}`;
  }
  return `{${text}}`;
}
