import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openSession, script } from './session-harness.ts';

/** 10,000 with TOOLWRIGHT_LONG; as many as show a leak of a few pages each otherwise. */
const many = process.env['TOOLWRIGHT_LONG'] === '1' ? 10_000 : 500;
/** Bytes that the process may have grown by: the heap breathes, whatever runs. */
const maxGrowthBytes = 64 * 1024 * 1024;

/** Threads of this process, where the system tells. */
const threads = (): number =>
  process.platform === 'linux' ? readdirSync('/proc/self/task').length : 0;

test('many programs of one session, and of many sessions: memory stays flat and no thread is left', async () => {
  const source = script(
    'console.log("one"); const r = await ctx.tools.echo({ i: inputs.i }); return r.structured.i',
  );
  const session = await openSession();
  const run = async (i: number) =>
    expect((await session.program({ source, inputs: { i } })).structured).toBe(i);
  for (let i = 0; i < 100; i += 1) await run(i);
  const during = threads();
  const before = process.memoryUsage().rss;
  for (let i = 0; i < many; i += 1) await run(i);
  expect(process.memoryUsage().rss - before).toBeLessThan(maxGrowthBytes);
  expect(threads()).toBe(during);
  await session.close();
  expect(threads()).toBeLessThan(during);

  const closed = threads();
  for (let i = 0; i < many / 100; i += 1) {
    const next = await openSession();
    expect((await next.program({ source, inputs: { i } })).structured).toBe(i);
    await next.close();
  }
  expect(threads()).toBe(closed);
  expect(process.memoryUsage().rss - before).toBeLessThan(maxGrowthBytes);
}, 900_000);
