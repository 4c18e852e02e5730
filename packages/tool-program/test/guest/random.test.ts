import { array, assert, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import { createRandom } from '../../src/guest/random.mjs';

test('the published sequence of xoshiro128**', () => {
  const random = createRandom([1, 2, 3, 4]);
  const words = Array.from({ length: 4 }, () => random() * 2 ** 32);
  expect(words).toEqual([11_520, 0, 5_927_040, 70_819_200]);
});

test('the same seed gives the same numbers in [0, 1), spread evenly', () => {
  assert(
    property(
      array(integer(), { minLength: 3, maxLength: 3 }),
      integer({ min: 1 }),
      (seed, last) => {
        const one = createRandom([...seed, last]);
        const two = createRandom([...seed, last]);
        const values = Array.from({ length: 200 }, () => one());
        expect(values).toEqual(Array.from({ length: 200 }, () => two()));
        expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
        expect(Math.max(...values)).toBeLessThan(1);
      },
    ),
  );
});
