import { expect, onTestFinished, test } from 'vitest';
import { fixture, openServers, until } from './fixtures/open.ts';
import { isAlive, pidFile } from './fixtures/pids.ts';

test('chaos: a server that is killed again and again leaves every call settled and no orphan', async () => {
  const file = pidFile();
  const rejections: unknown[] = [];
  const note = (reason: unknown): void => void rejections.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const { session, mcp } = await openServers({
    s: { ...fixture('grandchild', file.path), maxRestarts: 1_000, trust: 'trusted' },
  });
  const kills = process.env['TOOLWRIGHT_LONG'] === '1' ? 150 : 10;
  const over = new AbortController();
  const outcomes = new Map<string, number>();
  const caller = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const { error } = await session.tool('mcp__s__echo', { message: 'x' });
      const key = error?.reason ?? error?.type ?? 'ok';
      outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
      await new Promise((resolve) => {
        setTimeout(resolve, 2);
      });
    }
  };
  const callers = [caller(), caller(), caller()];
  for (let count = 0; count < kills; count += 1) {
    await until(() => mcp.status(session.id)[0]?.state === 'ready');
    const pid = file.pids().at(-2) ?? 0;
    if (pid > 0 && isAlive(pid)) process.kill(pid, 'SIGKILL');
    for (let waited = 0; waited < 4; waited += 1) {
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    }
  }
  over.abort();
  await Promise.all(callers);
  await session.close();
  expect(outcomes.get('ok') ?? 0).toBeGreaterThan(0);
  const known = ['ok', 'uncertain_outcome', 'server_unavailable'];
  expect([...outcomes.keys()].filter((key) => !known.includes(key))).toEqual([]);
  await until(() => file.pids().every((pid) => !isAlive(pid)));
  expect(rejections).toEqual([]);
});
