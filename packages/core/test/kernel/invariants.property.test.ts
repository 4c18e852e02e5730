import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { violations } from './schedule/invariants.ts';
import { plans } from './schedule/plan.ts';
import { runPlan } from './schedule/run-plan.ts';

const numRuns = process.env['TOOLWRIGHT_LONG'] === '1' ? 10_000 : 100;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

test('I1, I2, I3, I5 to I9 hold whatever goes wrong wherever', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      expect(violations(await runPlan(plan), plan)).toEqual([]);
    }),
    { numRuns, seed: 20_261_130 },
  );
}, 3_600_000);
