import type { SourceText } from './source-text.ts';

/** Bounds of a search. */
export interface FindLinesOptions {
  /** First line at which a match may begin. */
  readonly from: number;
  /** Stop after this many. */
  readonly limit: number;
  /** Whether a place that has the lines is wanted. */
  readonly accepts: (at: number) => boolean;
}

/**
 * Where a run of lines stands in a text, line endings aside; ascending. Time is linear in the text
 * whatever the lines are: rare lines are looked up, runs of common ones are searched for as by Knuth,
 * Morris and Pratt.
 *
 * @param wanted keys, at least one
 */
export function findLines(
  source: SourceText,
  wanted: readonly string[],
  options: FindLinesOptions,
): readonly number[] {
  const { from, limit, accepts } = options;
  const rarest = rarestLine(source, wanted);
  const places = source.positionsOf(wanted[rarest] ?? '');
  if (places.length * wanted.length > 4 * source.keys.length + 256) {
    source.countSearched(source.keys.length - from);
    return scanLines(source, wanted, options);
  }
  source.countSearched(places.length);
  const found: number[] = [];
  for (const place of places) {
    const at = place - rarest;
    if (at < from || !hasLinesAt(source, wanted, at) || !accepts(at)) continue;
    found.push(at);
    if (found.length === limit) break;
  }
  return found;
}

/** Whether the text has exactly these lines at a place, line endings aside. */
export function hasLinesAt(source: SourceText, wanted: readonly string[], at: number): boolean {
  const { keys } = source;
  if (at < 0 || at + wanted.length > keys.length) return false;
  for (let index = 0; index < wanted.length; index += 1) {
    if (keys[at + index] !== wanted[index]) return false;
  }
  return true;
}

function rarestLine(source: SourceText, wanted: readonly string[]): number {
  let rarest = 0;
  let fewest = Number.POSITIVE_INFINITY;
  for (const [index, key] of wanted.entries()) {
    const count = source.positionsOf(key).length;
    if (count < fewest) {
      rarest = index;
      fewest = count;
    }
    if (fewest <= 1) break;
  }
  return rarest;
}

function scanLines(
  source: SourceText,
  wanted: readonly string[],
  { from, limit, accepts }: FindLinesOptions,
): readonly number[] {
  const { keys } = source;
  const fallback = borders(wanted);
  const found: number[] = [];
  let matched = 0;
  for (let index = from; index < keys.length && found.length < limit; index += 1) {
    while (matched > 0 && keys[index] !== wanted[matched]) matched = fallback[matched - 1] ?? 0;
    if (keys[index] === wanted[matched]) matched += 1;
    if (matched < wanted.length) continue;
    const at = index - wanted.length + 1;
    if (accepts(at)) found.push(at);
    matched = fallback[matched - 1] ?? 0;
  }
  return found;
}

/** For each prefix, the length of its longest proper border. */
function borders(wanted: readonly string[]): readonly number[] {
  const lengths = [0];
  let length = 0;
  for (let index = 1; index < wanted.length; index += 1) {
    while (length > 0 && wanted[index] !== wanted[length]) length = lengths[length - 1] ?? 0;
    if (wanted[index] === wanted[length]) length += 1;
    lengths.push(length);
  }
  return lengths;
}
