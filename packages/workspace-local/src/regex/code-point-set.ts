/**
 * A set of Unicode code points as sorted, disjoint, non-adjacent ranges, flattened: `[low, high, low, high…]`,
 * both ends included. Surrogates are never members: they are no characters of UTF-8.
 */
export type CodePointSet = readonly number[];

export const maxCodePoint = 0x10ffff;

/** The set of some ranges in any order. */
export function setOfRanges(
  ranges: readonly (readonly [low: number, high: number])[],
): CodePointSet {
  const sorted = ranges
    .filter(([low, high]) => low <= high)
    .toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  const merged: number[] = [];
  for (const [low, high] of sorted) {
    const last = merged.length - 1;
    const end = merged[last];
    if (end !== undefined && low <= end + 1) merged[last] = Math.max(end, high);
    else merged.push(low, high);
  }
  return withoutSurrogates(merged);
}

/** The set of one code point. */
export function setOf(codePoint: number): CodePointSet {
  return setOfRanges([[codePoint, codePoint]]);
}

/** Everything that is in any of the sets. */
export function unionOf(...sets: readonly CodePointSet[]): CodePointSet {
  return setOfRanges(sets.flatMap(rangesOf));
}

/** Every code point that is not in the set. */
export function complementOf(set: CodePointSet): CodePointSet {
  const result: number[] = [];
  let next = 0;
  for (const [low, high] of rangesOf(set)) {
    if (low > next) result.push(next, low - 1);
    next = high + 1;
  }
  if (next <= maxCodePoint) result.push(next, maxCodePoint);
  return withoutSurrogates(result);
}

/** What is in both. */
export function intersectionOf(a: CodePointSet, b: CodePointSet): CodePointSet {
  const ranges: [number, number][] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const low = Math.max(a[i] ?? 0, b[j] ?? 0);
    const high = Math.min(a[i + 1] ?? 0, b[j + 1] ?? 0);
    if (low <= high) ranges.push([low, high]);
    if ((a[i + 1] ?? 0) < (b[j + 1] ?? 0)) i += 2;
    else j += 2;
  }
  return setOfRanges(ranges);
}

/** What is in `a` and not in `b`. */
export function differenceOf(a: CodePointSet, b: CodePointSet): CodePointSet {
  return intersectionOf(a, complementOf(b));
}

/** Whether the set holds a code point. */
export function includesCodePoint(set: CodePointSet, codePoint: number): boolean {
  let low = 0;
  let high = set.length / 2 - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (codePoint < (set[2 * middle] ?? 0)) high = middle - 1;
    else if (codePoint > (set[2 * middle + 1] ?? 0)) low = middle + 1;
    else return true;
  }
  return false;
}

/** The ranges of a set, one pair each. */
export function rangesOf(set: CodePointSet): [low: number, high: number][] {
  const ranges: [number, number][] = [];
  for (let i = 0; i < set.length; i += 2) ranges.push([set[i] ?? 0, set[i + 1] ?? 0]);
  return ranges;
}

function withoutSurrogates(flat: readonly number[]): CodePointSet {
  const result: number[] = [];
  for (let i = 0; i < flat.length; i += 2) {
    const low = flat[i] ?? 0;
    const high = flat[i + 1] ?? 0;
    if (high < 0xd800 || low > 0xdfff) {
      result.push(low, high);
      continue;
    }
    if (low < 0xd800) result.push(low, 0xd7ff);
    if (high > 0xdfff) result.push(0xe000, high);
  }
  return result;
}
