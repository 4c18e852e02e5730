import { array, assert, asyncProperty, integer } from 'fast-check';
import { expect, test } from 'vitest';
import { sortInTurns } from '../../src/files/sort-in-turns.ts';
import { TurnTaker } from '../../src/walk/turn-taker.ts';

interface Item {
  readonly key: number;
  readonly place: number;
}

const byKey = (a: Item, b: Item): number => a.key - b.key;

function itemsOf(keys: readonly number[]): Item[] {
  return keys.map((key, place) => ({ key, place }));
}

test('sorting in turns gives what sorting in one go gives, equal items in their order', async () => {
  const keys = array(integer({ min: 0, max: 400 }), { maxLength: 3_000, size: 'max' });
  await assert(
    asyncProperty(keys, async (some) => {
      const items = itemsOf(some);
      const sorted = await sortInTurns(items, byKey, new TurnTaker(undefined));
      expect(sorted).toEqual(items.toSorted(byKey));
      expect(items).toEqual(itemsOf(some));
    }),
    { numRuns: 60 },
  );
});

test('others have their turn while a long list is sorted, and an abort ends it', async () => {
  const items = itemsOf(Array.from({ length: 300_000 }, (_, index) => (index * 7_919) % 300_007));
  let turns = 0;
  let ended = false;
  const count = (): void => {
    turns += 1;
    if (!ended) setImmediate(count);
  };
  setImmediate(count);
  await sortInTurns(items, byKey, new TurnTaker(undefined));
  ended = true;
  expect(turns).toBeGreaterThan(2);
  const controller = new AbortController();
  const sorting = sortInTurns(items, byKey, new TurnTaker(controller.signal));
  setImmediate(() => controller.abort());
  await expect(sorting).rejects.toThrow(/abort/u);
});
