import { expect, onTestFinished, test } from 'vitest';
import { fixture, openServers, until } from './fixtures/open.ts';
import { isAlive, pidFile } from './fixtures/pids.ts';

/** Turns of 200 ms: three seconds, or thirty in the long form. */
const turns = process.env['TOOLWRIGHT_LONG'] === '1' ? 150 : 15;

test(
  'chaos: a server that is killed every 200 ms leaves every call settled, no orphan and nothing open',
  async () => {
    const file = pidFile();
    const rejections: unknown[] = [];
    const note = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const before = whatIsOpen();
    const { session, mcp } = await openServers({
      s: { ...fixture('grandchild', file.path), maxRestarts: 1_000, trust: 'trusted' },
    });
    const over = new AbortController();
    const outcomes = new Map<string, number>();
    let begun = 0;
    const call = async (): Promise<void> => {
      begun += 1;
      const { error, output } = await session.tool('mcp__s__echo', { message: 'x' });
      const outcome = error?.reason ?? error?.type ?? output;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    };
    const caller = async (): Promise<void> => {
      while (!over.signal.aborted) {
        await call();
        await pause(2);
      }
    };
    const callers = [caller(), caller(), caller()];
    let kills = 0;
    for (let turn = 0; turn < turns; turn += 1) {
      for (let part = 0; part < 4; part += 1) await pause(50);
      // One that is still starting would never get to answer on a slow machine.
      if (mcp.status(session.id)[0]?.state !== 'ready') continue;
      const pid = file.pids().at(-2) ?? 0;
      if (!isAlive(pid)) continue;
      process.kill(pid, 'SIGKILL');
      kills += 1;
    }
    over.abort();
    await Promise.all(callers);
    await until(() => mcp.status(session.id)[0]?.state === 'ready');
    await call();
    await session.close();
    expect(kills).toBeGreaterThan(0);
    // All that begun have settled, each with its answer or a typed failure.
    expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(begun);
    const known = ['Echo: x', 'uncertain_outcome', 'server_unavailable'];
    expect([...outcomes.keys()].filter((outcome) => !known.includes(outcome))).toEqual([]);
    expect(outcomes.get('Echo: x')).toBeGreaterThan(0);
    await until(() => file.pids().every((pid) => !isAlive(pid)));
    await until(() => JSON.stringify(whatIsOpen()) === JSON.stringify(before));
    expect(rejections).toEqual([]);
  },
  turns * 2_000,
);

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** What a connection could leave behind: child processes, their pipes, and listeners on this process. */
function whatIsOpen(): object {
  const resources = process.getActiveResourcesInfo();
  const count = (kind: string): number => resources.filter((each) => each === kind).length;
  return {
    processes: count('ProcessWrap'),
    pipes: count('PipeWrap'),
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  };
}
