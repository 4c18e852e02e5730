import type { JsonValue } from '../json/json.ts';
import { isJsonArray, isJsonObject } from '../json/json.ts';

/** Longest text that is read as a number or a word. */
const MAX_SCALAR_TEXT = 64;
const PLAIN_INTEGER = /^-?(?:0|[1-9]\d*)$/u;
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u;
/** Decimal digits that a double keeps, whatever they are. */
const EXACT_DIGITS = 15;

/**
 * The one lossless reading of a value of the wrong type as one of the wanted types, or `undefined`.
 *
 * - text where no text is wanted: a plain decimal integer (`"12"`, never `"1.0"`, `"1e3"`, `"0x10"`, `" 5 "` or one
 *   beyond 2^53); a JSON number of at most 15 digits where `number` is wanted; exactly `true` or `false`; the JSON
 *   text of an array or object. Never `null`;
 * - a number where text but no number is wanted: its plain decimal digits.
 *
 * Nothing else: `1` is no boolean, `true` no number, `"a"` no list of one.
 */
export function coerce(value: JsonValue, wanted: readonly string[]): JsonValue | undefined {
  if (typeof value === 'string') {
    return wanted.includes('string') ? undefined : readText(value, wanted);
  }
  if (typeof value === 'number' && wanted.includes('string') && !wanted.includes('number')) {
    const text = String(value);
    return PLAIN_INTEGER.test(text) || /^-?\d+\.\d+$/u.test(text) ? text : undefined;
  }
  return undefined;
}

function readText(text: string, wanted: readonly string[]): JsonValue | undefined {
  if (text.length <= MAX_SCALAR_TEXT) {
    if (wanted.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
    if (wanted.includes('number') && isExactNumber(text)) return Number(text);
    if (
      wanted.includes('integer') &&
      PLAIN_INTEGER.test(text) &&
      Number.isSafeInteger(Number(text))
    ) {
      return Number(text);
    }
  }
  if (!wanted.includes('array') && !wanted.includes('object')) return undefined;
  const container = parseContainer(text);
  if (isJsonArray(container)) return wanted.includes('array') ? container : undefined;
  return wanted.includes('object') ? container : undefined;
}

/** The array or object that a text spells in JSON; `undefined` for anything else. Objects keep `__proto__` as a key. */
export function parseContainer(text: string): JsonValue | undefined {
  if (!/^\s*[[{]/u.test(text)) return undefined;
  try {
    const parsed: JsonValue = JSON.parse(text);
    return isJsonArray(parsed) || isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isExactNumber(text: string): boolean {
  if (!PLAIN_NUMBER.test(text)) return false;
  const digits = text.replace(/[eE].*$/u, '').replaceAll(/[-.]/gu, '');
  const value = Number(text);
  return Number.isFinite(value) && (digits.length <= EXACT_DIGITS || String(value) === text);
}
