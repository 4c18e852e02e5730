import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { Patience } from '../../src/vm/patience.mjs';

function createCounts(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(8));
}

test('a change that is there already is seen, also without patience', () => {
  const counts = createCounts();
  counts[1] = 3;
  expect(new Patience(false).sees(counts, 1, 2)).toBe(true);
  expect(new Patience(true).sees(counts, 1, 2)).toBe(true);
  expect(new Patience(false).sees(counts, 1, 3)).toBe(false);
});

test('a change by another thread is seen while looking', async () => {
  const counts = createCounts();
  const worker = new Worker(
    `const { workerData: counts } = require('node:worker_threads');
     Atomics.store(counts, 1, 1);
     for (;;) Atomics.add(counts, 0, 1);`,
    { eval: true, workerData: counts },
  );
  onTestFinished(async () => void (await worker.terminate()));
  while (Atomics.load(counts, 1) === 0) await new Promise((resolve) => setImmediate(resolve));
  const patience = new Patience(true);
  // The other thread may be without a processor for a moment; then this one sleeps.
  let seen = false;
  for (let turn = 0; turn < 100_000 && !seen; turn += 1) {
    seen = patience.sees(counts, 0, Atomics.load(counts, 0));
  }
  expect(seen).toBe(true);
});

test('what does not pay is left alone: of 660 looks in vain 11 are taken, after many that paid eight', () => {
  const counts = createCounts();
  let nowMs = 0;
  let change: (() => void) | undefined;
  const patience = new Patience(true, () => {
    change?.();
    nowMs += 0.09;
    return nowMs;
  });
  /** How many looks of so many turns went on to the clock, which costs 0.09 ms each time here. */
  const looksTaken = (turns: number): number => {
    let taken = 0;
    for (let turn = 0; turn < turns; turn += 1) {
      const before = nowMs;
      expect(patience.sees(counts, 0, Atomics.load(counts, 0))).toBe(false);
      if (nowMs > before) taken += 1;
    }
    return taken;
  };
  expect(looksTaken(660)).toBe(11);
  expect(looksTaken(55)).toBe(0);
  change = () => void Atomics.add(counts, 0, 1);
  for (let paid = 0; paid < 100; paid += 1) {
    expect(patience.sees(counts, 0, Atomics.load(counts, 0))).toBe(true);
  }
  change = undefined;
  // No more than eight, however often it has paid.
  expect(looksTaken(60)).toBe(8);
});
