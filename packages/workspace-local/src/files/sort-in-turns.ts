import type { TurnTaker } from '../walk/turn-taker.ts';

/** Items that are sorted or merged between two looks at the clock. */
const runItems = 512;

/** Sorts a list, stable, and lets others have their turn on the way. The list given is not changed. */
export async function sortInTurns<T extends object>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  turns: TurnTaker,
): Promise<readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let start = 0; start < items.length; start += runItems) {
    runs.push(items.slice(start, start + runItems).sort(compare));
    await turns.next();
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = [];
    for (let index = 0; index < runs.length; index += 2) {
      const [left = [], right = []] = runs.slice(index, index + 2);
      merged.push(await merge(left, right, { compare, turns }));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T extends object>(
  left: readonly T[],
  right: readonly T[],
  how: { readonly compare: (a: T, b: T) => number; readonly turns: TurnTaker },
): Promise<readonly T[]> {
  const merged: T[] = [];
  let fromLeft = 0;
  let fromRight = 0;
  while (fromLeft < left.length || fromRight < right.length) {
    const end = merged.length + runItems;
    while (merged.length < end && fromLeft < left.length && fromRight < right.length) {
      const [a, b] = [left[fromLeft], right[fromRight]];
      if (a === undefined || b === undefined) break;
      const isLeft = how.compare(a, b) <= 0;
      merged.push(isLeft ? a : b);
      if (isLeft) fromLeft += 1;
      else fromRight += 1;
    }
    if (fromLeft === left.length || fromRight === right.length) {
      return [...merged, ...left.slice(fromLeft), ...right.slice(fromRight)];
    }
    await how.turns.next();
  }
  return merged;
}
