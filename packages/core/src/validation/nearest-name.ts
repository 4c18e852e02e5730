/**
 * The allowed name that a wrong one most likely meant: equal but for case and separators, or within a third of its
 * length in edits (at least one, at most four). `undefined` if none is near. The first of equals wins.
 */
export function nearestName(name: string, allowed: readonly string[]): string | undefined {
  if (name.length > 64) return undefined;
  const plain = simplifyName(name);
  const same = allowed.find((candidate) => simplifyName(candidate) === plain);
  if (same !== undefined) return same;
  let best: string | undefined;
  let bound = Math.min(4, Math.max(1, Math.floor(name.length / 3))) + 1;
  for (const candidate of allowed) {
    if (Math.abs(candidate.length - name.length) >= bound) continue;
    const distance = editDistance(plain, simplifyName(candidate));
    if (distance < bound) {
      bound = distance;
      best = candidate;
    }
  }
  return best;
}

/** A name without case and separators. */
export function simplifyName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/gu, '');
}

/** Levenshtein distance with neighbours swapped counted as one edit (optimal string alignment). */
function editDistance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const cost = left[row - 1] === right[column - 1] ? 0 : 1;
      let distance = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + cost,
      );
      if (left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) {
        distance = Math.min(distance, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(distance);
    }
    beforeLast = last;
    last = current;
  }
  return last[right.length] ?? 0;
}
