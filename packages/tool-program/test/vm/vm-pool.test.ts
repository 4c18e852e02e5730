import { afterEach, expect, test } from 'vitest';
import { VmPool } from '../../src/vm/vm-pool.ts';
import { program, runScript } from './vm-harness.ts';

/** 10,000 with TOOLWRIGHT_LONG, as many as show a leak of one page each otherwise. */
const many = process.env['TOOLWRIGHT_LONG'] === '1' ? 10_000 : 1_000;

const pools: VmPool[] = [];
function createPool(options?: ConstructorParameters<typeof VmPool>[0]): VmPool {
  const pool = new VmPool(options);
  pools.push(pool);
  return pool;
}
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

test('PROG-008: many programs in one process leave no memory and no worker behind', async () => {
  const pool = createPool();
  const one = () =>
    runScript(
      pool,
      program(
        'const r = await ctx.tools.echo({ i: 1 }); return Array.from({ length: 1000 }, () => r.ok).length',
      ),
    );
  for (let i = 0; i < 50; i += 1) expect((await one()).value).toBe(1_000);
  const before = process.memoryUsage().rss;
  for (let i = 0; i < many; i += 1) expect((await one()).value).toBe(1_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  expect(pool.size).toBe(1);
}, 600_000);

test('programs run side by side up to the number of workers, the others wait', async () => {
  const pool = createPool({ maxWorkers: 2 });
  let inside = 0;
  let most = 0;
  let meet = (): void => {};
  const met = new Promise<void>((resolve) => {
    meet = resolve;
  });
  const run = () =>
    runScript(pool, program('await ctx.tools.echo({}); return 1'), {
      answer: async () => {
        inside += 1;
        most = Math.max(most, inside);
        // The first two wait for each other, however slow the machine is.
        if (inside === 2) meet();
        await met;
        await new Promise((resolve) => setTimeout(resolve, 5));
        inside -= 1;
        return {};
      },
    });
  const values = await Promise.all(Array.from({ length: 6 }, run));
  expect(values.map(({ value }) => value)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(most).toBe(2);
});

test('one that waits for its turn can be cancelled', async () => {
  const pool = createPool({ maxWorkers: 1 });
  const stop = new AbortController();
  const running = runScript(pool, program('for (;;) {}'), {
    signal: stop.signal,
    timeoutMs: 20_000,
  });
  const waiting = await runScript(pool, program('return 1'), { signal: AbortSignal.timeout(50) });
  expect(waiting.end.type).toBe('stopped');
  stop.abort();
  expect((await running).end.type).toBe('stopped');
  expect((await runScript(pool, program('return 2'))).value).toBe(2);
});

test('closing ends running scripts and every thread; a closed pool runs nothing', async () => {
  const pool = createPool();
  const running = [1, 2, 3].map(() =>
    runScript(pool, program('for (;;) {}'), { timeoutMs: 20_000 }),
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  await pool.close();
  for (const { end } of await Promise.all(running)) expect(end.type).toBe('stopped');
  expect(pool.size).toBe(0);
  expect((await runScript(pool, program('return 1'))).end.type).toBe('stopped');
  await pool.close();
});

test('a thread that is prepared is the next one to be used, and only one is', async () => {
  const pool = createPool();
  pool.prepare();
  pool.prepare();
  expect(pool.size).toBe(1);
  expect((await runScript(pool, program('return 1'))).value).toBe(1);
  expect(pool.size).toBe(1);
  await pool.close();
  pool.prepare();
  expect(pool.size).toBe(0);
});

test('a script can be stopped at any moment of its loading; the next one is itself', async () => {
  const pool = createPool();
  for (let timeoutMs = 1; timeoutMs <= 40; timeoutMs += 3) {
    const stopped = await runScript(pool, program('globalThis.mark = 1; for (;;) {}'), {
      timeoutMs,
      job: { language: 'typescript' },
    });
    expect(stopped.end.type).toBe('stopped');
    const next = await runScript(pool, program('return typeof mark as string'), {
      job: { language: 'typescript' },
    });
    expect(next.value).toBe('undefined');
  }
});

test('a worker that took much memory is replaced, a well-behaved one is kept', async () => {
  const pool = createPool();
  const thread = (): Promise<unknown> => runScript(pool, program('return 1'));
  await thread();
  const large = await runScript(pool, program('globalThis.kept = new ArrayBuffer(2e7); return 1'));
  expect(large.value).toBe(1);
  const next = await runScript(pool, program('return typeof kept'));
  expect(next.value).toBe('undefined');
  expect(pool.size).toBeLessThanOrEqual(2);
});

test('globals of one script are gone in the next', async () => {
  const pool = createPool();
  await runScript(pool, program('globalThis.secret = 1; Array.prototype.evil = 1; return 1'));
  expect((await runScript(pool, program('return [typeof secret, [].evil ?? null]'))).value).toEqual(
    ['undefined', null],
  );
});
