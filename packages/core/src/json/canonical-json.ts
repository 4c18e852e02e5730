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
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${value} is no JSON number`);
    return `${value}`;
  }
  if (typeof value === 'boolean' || value === null) return String(value);
  if (typeof value !== 'object') throw new TypeError(`a ${typeof value} is no JSON value`);
  if (depth >= MAX_DEPTH) throw new TypeError(`nested deeper than ${MAX_DEPTH} levels`);
  if (isJsonArray(value)) {
    return `[${Array.from(value, (item) => write(item, depth + 1)).join(',')}]`;
  }
  let text = '';
  for (const key of sorted(Object.keys(value))) {
    const item = value[key];
    // JSON.parse gives no undefined, but objects built in code have it for an absent option.
    if (item === undefined) continue;
    text += (text === '' ? '{' : ',') + quoteKey(key) + write(item, depth + 1);
  }
  return text === '' ? '{}' : `${text}}`;
}

/** Short texts of which nothing is escaped, as keys are: two quotes around them cost less than a call of `JSON.stringify`. */
const plain = /^[ !#-[\]-~]{0,64}$/u;

/** Keys as they are written, with their colon: the same few come with every call of a tool. */
const keys = new Map<string, string>();
const maxKeys = 1_024;

function quoteKey(key: string): string {
  let written = keys.get(key);
  if (written === undefined) {
    written = `${quote(key)}:`;
    if (key.length > 64) return written;
    if (keys.size >= maxKeys) keys.clear();
    keys.set(key, written);
  }
  return written;
}

function quote(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** By UTF-16 code units, in place. Few keys are sorted by insertion: the engine's own sort makes tables for its work. */
function sorted(keys: string[]): string[] {
  if (keys.length > 16) return keys.sort();
  for (let end = 1; end < keys.length; end += 1) {
    const key = keys[end] ?? '';
    let at = end;
    for (; at > 0; at -= 1) {
      const before = keys[at - 1] ?? '';
      if (before <= key) break;
      keys[at] = before;
    }
    keys[at] = key;
  }
  return keys;
}
