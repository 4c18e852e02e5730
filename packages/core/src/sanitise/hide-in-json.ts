import { HIDDEN_SECRET } from './hiding-stream.ts';

/** Deeper containers are hidden whole: no JSON that the kernel takes goes as deep. */
const MAX_DEPTH = 1000;

/**
 * Hides secrets in all strings of a JSON value, keys included, and in numbers whose digits hold one.
 * Returns the value itself where there is nothing to hide, else a copy. Keys that become equal are numbered, so that no
 * property is lost; a copy is frozen, as what it stands for mostly was. Values that are no JSON pass unchanged.
 */
export function hideInJson(value: unknown, hide: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return hide(value);
  if (typeof value === 'number') {
    const digits = String(value);
    return hide(digits) === digits ? value : HIDDEN_SECRET;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return HIDDEN_SECRET;
  const inner = (item: unknown) => hideInJson(item, hide, depth + 1);
  return Array.isArray(value) ? hideInArray(value, inner) : hideInObject(value, { hide, inner });
}

type Hide = (item: unknown) => unknown;

function hideInArray(items: readonly unknown[], inner: Hide): readonly unknown[] {
  const hidden = items.map(inner);
  return hidden.some((item, index) => item !== items[index]) ? Object.freeze(hidden) : items;
}

function hideInObject(
  value: object,
  { hide, inner }: { readonly hide: (text: string) => string; readonly inner: Hide },
): object {
  const entries = Object.entries(value);
  let hasChanged = false;
  const taken = new Set(Object.keys(value));
  const hidden = entries.map(([key, item]): [string, unknown] => {
    const hiddenItem = inner(item);
    const hiddenKey = hide(key);
    hasChanged ||= hiddenItem !== item || hiddenKey !== key;
    return [hiddenKey === key ? key : toFreeKey(hiddenKey, taken), hiddenItem];
  });
  // `fromEntries` defines properties, so a key `__proto__` stays an ordinary key.
  return hasChanged ? Object.freeze(Object.fromEntries(hidden)) : value;
}

function toFreeKey(key: string, taken: Set<string>): string {
  let free = key;
  for (let number = 2; taken.has(free); number += 1) free = `${key} (${number})`;
  taken.add(free);
  return free;
}
