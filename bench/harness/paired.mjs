import { performance } from 'node:perf_hooks';

/** The middle value; the mean of the two middle ones when their number is even. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/**
 * Runs the anchor and ours in turn, each once a round, who goes first changing with the round, and compares them
 * within each round: what else the machine does then meets both.
 *
 * `anchor` and `ours` do one round's work; one that returns `{ ms }` has measured itself (without its own preparation).
 * `check(anchorsResult, oursResult)` throws unless both did the same; it sees the results of the warm-up, before any
 * time counts. `calls` is the number of operations in a round, by which the shown times are divided. Garbage is collected
 * before, not between rounds: a full collection makes V8 forget shapes and throw away compiled code.
 */
export async function paired({ anchor, ours, check, rounds = 7, warmup = 1, calls = 1 }) {
  globalThis.gc?.();
  for (let round = 0; round < warmup; round += 1) {
    const expected = await anchor();
    await check(expected, await ours());
  }
  const times = { anchor: [], ours: [] };
  const variants = [
    ['anchor', anchor],
    ['ours', ours],
  ];
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, work] of variants) times[name].push(await timed(work));
    variants.reverse();
  }
  return {
    ratio: median(times.ours.map((ms, round) => ms / times.anchor[round])),
    anchor: median(times.anchor) / calls,
    ours: median(times.ours) / calls,
    rounds,
  };
}

async function timed(work) {
  const started = performance.now();
  let result = work();
  if (result instanceof Promise) result = await result;
  const elapsed = performance.now() - started;
  return typeof result?.ms === 'number' ? result.ms : elapsed;
}
