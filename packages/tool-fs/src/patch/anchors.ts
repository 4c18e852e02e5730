import type { SourceText } from './source-text.ts';

/**
 * Lines of the file that nested anchors name, ascending: each is looked for after the one that encloses
 * it. An anchor is a whole line, or the same apart from white space around it, or the beginning of a line;
 * the first of these readings that finds something counts.
 *
 * @returns the 0-based lines of the innermost anchor, or the anchor that is not in the file
 */
export function anchorPositions(
  source: SourceText,
  anchors: readonly string[],
): readonly number[] | string {
  let enclosing: readonly number[] | undefined;
  for (const anchor of anchors) {
    const places = linesLike(source, anchor);
    source.countSearched(places.length);
    const within: readonly number[] =
      enclosing === undefined ? places : firstAfterEach(places, enclosing);
    if (within.length === 0) return anchor;
    enclosing = within;
  }
  return enclosing ?? [];
}

function linesLike(source: SourceText, anchor: string): readonly number[] {
  const exact = source.positionsOf(anchor);
  if (exact.length > 0) return exact;
  const text = anchor.trim();
  source.countSearched(source.keys.length);
  const same: number[] = [];
  const begins: number[] = [];
  for (const [index, key] of source.keys.entries()) {
    const line = key.trim();
    if (line === text) same.push(index);
    else if (line.startsWith(text)) begins.push(index);
  }
  return same.length > 0 ? same : begins;
}

function firstAfterEach(
  places: readonly number[],
  enclosing: readonly number[],
): readonly number[] {
  const found = new Set<number>();
  let next = 0;
  for (const start of enclosing) {
    while (next < places.length && (places[next] ?? 0) <= start) next += 1;
    const place = places[next];
    if (place !== undefined) found.add(place);
  }
  return [...found];
}
