import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { violations } from './schedule/invariants.ts';
import { places, plans, type Place } from './schedule/plan.ts';
import { runPlan } from './schedule/run-plan.ts';

const numRuns = process.env['TOOLWRIGHT_LONG'] === '1' ? 10_000 : 250;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

test('I1, I2, I3, I5 to I9 hold whatever goes wrong wherever', async () => {
  const happened = new Set<Place>();
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const seen = await runPlan(plan);
      expect(violations(seen, plan)).toEqual([]);
      for (const place of seen.world.happened) happened.add(place);
    }),
    { numRuns, seed: 20_261_130 },
  );
  expect([...happened].sort()).toEqual([...places].sort());
}, 3_600_000);
