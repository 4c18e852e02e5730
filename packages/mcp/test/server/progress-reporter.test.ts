import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ProgressReporter, type ProgressTick } from '../../src/server/progress-reporter.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A reporter, and what it has sent when. */
function report() {
  const sent: (ProgressTick & { readonly at: number })[] = [];
  const reporter = new ProgressReporter(
    async (tick) => void sent.push({ ...tick, at: Date.now() }),
  );
  return { reporter, sent };
}

test('a call that is silent says every five seconds that it lives, and never beyond its total', async () => {
  const { reporter, sent } = report();
  reporter.step({ current: 1, total: 4 });
  await vi.advanceTimersByTimeAsync(15_100);
  reporter.step({ current: 2, total: 4 });
  await reporter.finish();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent.map(({ message }) => message)).toEqual([
    undefined,
    'still running',
    'still running',
    'still running',
    undefined,
  ]);
  const numbers = sent.map(({ progress }) => progress);
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect(numbers.at(-1)).toBe(2);
  expect(new Set(sent.map(({ total }) => total))).toEqual(new Set([4]));
});

test('a client that cannot be told does not hold up the result', async () => {
  const reporter = new ProgressReporter(async () => {
    throw new Error('gone');
  });
  reporter.step({ current: 1 });
  await expect(reporter.finish()).resolves.toBeUndefined();
});

test('numbers always grow, ten a second at most, and the highest step gets out', async () => {
  const steps = fc.array(
    fc.record(
      {
        wait: fc.integer({ min: 0, max: 400 }),
        current: fc.oneof(fc.integer({ min: 0, max: 1_000 }), fc.double()),
        total: fc.integer({ min: 0, max: 1_000 }),
        message: fc.string(),
      },
      { requiredKeys: ['wait'] },
    ),
    { maxLength: 100 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const { reporter, sent } = report();
      for (const { wait, ...step } of given) {
        reporter.step(step);
        await vi.advanceTimersByTimeAsync(wait);
      }
      await reporter.finish();
      const numbers = sent.map(({ progress }) => progress);
      expect(numbers).toEqual([...new Set(numbers)].sort((x, y) => x - y));
      // The very last one may come early: it must be out before the result.
      const apart = sent.slice(10, -1).map(({ at }, index) => at - (sent[index]?.at ?? 0));
      expect(apart.filter((milliseconds) => milliseconds < 1_000)).toEqual([]);
    }),
    { numRuns: 100, examples: [[[{ wait: 0, current: -0 }]]] },
  );
});
