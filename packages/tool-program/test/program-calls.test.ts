import { setTimeout as wait } from 'node:timers/promises';
import { type JsonValue, type ToolEvent } from '@toolwright/core';
import { describe, expect, test } from 'vitest';
import { echoTool, openSession, script } from './session-harness.ts';
import { smallTool } from './small-tools.ts';

/** How many calls are in `work` at once at most, and how many there were. */
function counter() {
  const seen = { now: 0, most: 0, all: 0 };
  return {
    seen,
    run: async () => {
      seen.now += 1;
      seen.all += 1;
      seen.most = Math.max(seen.most, seen.now);
      await wait(2);
      seen.now -= 1;
      return { output: '' };
    },
  };
}

test('PROG-009: whatever a tool returns has a documented image in the script', async () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const values: Record<string, unknown> = {
    getter: {
      get x() {
        throw new Error('g');
      },
    },
    revoked: proxy,
    cycle,
    bigint: 1n,
    symbol: Symbol('s'),
    date: new Date(0),
    map: new Map([[1, 2]]),
    bytes: Buffer.from('ab'),
    undefined: undefined,
    nan: Number.NaN,
    minus_zero: -0,
    function: () => 1,
    large: Array.from({ length: 1_000_000 }, (_, i) => i),
    surrogate: '\ud800',
  };
  const tools = Object.entries(values).map(([name, value]) =>
    // What a careless tool returns is no JSON.
    smallTool(`give_${name}`, async () => ({ output: 'x', structured: value as JsonValue })),
  );
  const session = await openSession({ tools });
  const body = `
    const all = {};
    for (const name of inputs.names) {
      const r = await ctx.tool('give_' + name);
      all[name] = r.error === null ? 'structured' in r ? JSON.stringify(r.structured).slice(0, 40) : 'absent' : r.error.type;
    }
    return all;`;
  const call = { source: script(body), inputs: { names: Object.keys(values) } };
  const { structured, error } = await session.program(call);
  expect(error).toBeNull();
  expect(structured).toMatchInlineSnapshot(`
    {
      "bigint": "absent",
      "bytes": "absent",
      "cycle": "absent",
      "date": "absent",
      "function": "absent",
      "getter": "absent",
      "large": "absent",
      "map": "absent",
      "minus_zero": "0",
      "nan": "absent",
      "revoked": "absent",
      "surrogate": ""\\ud800"",
      "symbol": "absent",
      "undefined": "absent",
    }
  `);
  const again = {
    ...call,
    inputs: { names: Object.keys(values).filter((name) => name !== 'large') },
  };
  const { structured: first } = await session.program(again);
  for (let i = 0; i < 20; i += 1) expect((await session.program(again)).structured).toEqual(first);
  await session.close();
});

describe('calls at once', () => {
  test('PROG-016: never more than eight, the rest is refused, results keep their order', async () => {
    const work = counter();
    const session = await openSession({ tools: [smallTool('work', work.run), echoTool()] });
    const body = `
      await Promise.all(Array.from({ length: 40 }, () => ctx.tools.work()));
      const all = await Promise.all(Array.from({ length: 1000 }, (_, i) => ctx.tools.echo({ i })));
      return all.map((r) => r.ok ? r.structured.i : r.error.reason);`;
    const result = await session.program({ source: script(body), limits: { maxToolCalls: 200 } });
    expect(result.structured).toEqual(
      Array.from({ length: 1000 }, (_, i) => (i < 160 ? i : 'call_limit')),
    );
    expect(work.seen).toEqual({ now: 0, most: 8, all: 40 });
    expect(result.metadata['program']).toMatchObject({ refused_tool_calls: 840 });
    await session.close();
  });

  test('what a tool declares is kept: one that must run alone does', async () => {
    const work = counter();
    const session = await openSession({
      tools: [smallTool('alone', work.run, { capabilities: { maxParallelism: 1 } })],
    });
    await session.program({
      source: script('await Promise.all([1, 2, 3, 4].map(() => ctx.tools.alone()))'),
    });
    expect(work.seen).toEqual({ now: 0, most: 1, all: 4 });
    await session.close();
  });

  test('calls that nobody awaits are made all the same', async () => {
    const work = counter();
    const session = await openSession({ tools: [smallTool('work', work.run)] });
    const result = await session.program({
      source: script('ctx.tools.work(); ctx.tools.work().then(() => ctx.tools.work()); return 1'),
    });
    expect(result.structured).toBe(1);
    expect(work.seen.all).toBe(3);
    await session.close();
  });
});

test('a thousand calls that wait when the program is stopped: those under way are aborted, the others never run', async () => {
  const seen = { begun: 0, aborted: 0 };
  let allBegun = (): void => {};
  const begun = new Promise<void>((resolve) => {
    allBegun = resolve;
  });
  const stuck = smallTool('stuck', async ({ signal }) => {
    seen.begun += 1;
    if (seen.begun === 8) allBegun();
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        seen.aborted += 1;
        reject(new Error('aborted'));
      });
    });
  });
  const session = await openSession({ tools: [stuck] });
  const stop = new AbortController();
  const running = session.program(
    {
      source: script('await Promise.all(Array.from({ length: 1000 }, () => ctx.tools.stuck({})))'),
      limits: { maxToolCalls: 1_000, timeoutMs: 60_000 },
    },
    { signal: stop.signal },
  );
  await begun;
  stop.abort();
  const { error, metadata } = await running;
  expect(error?.type).toBe('cancelled');
  expect(metadata['program']).toMatchObject({
    outcome: 'cancelled',
    omitted_tool_calls: expect.any(Number),
  });
  expect(seen).toEqual({ begun: 8, aborted: 8 });
  expect((await session.program({ source: script('return 1') })).structured).toBe(1);
  await session.close();
});

describe('PROG-017: cancelling', () => {
  function slowTool() {
    const seen = { aborted: false, finished: false };
    let start = (): void => {};
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    const tool = smallTool('slow', async ({ signal }) => {
      start();
      await wait(20_000, undefined, { signal }).catch(() => {
        seen.aborted = true;
      });
      signal.throwIfAborted();
      seen.finished = true;
      return { output: '' };
    });
    return { tool, seen, started };
  }

  test('while a tool runs', async () => {
    const slow = slowTool();
    const session = await openSession({ tools: [echoTool(), slow.tool] });
    const cancel = new AbortController();
    const running = session.program(
      {
        source: script(
          'await ctx.tools.echo({ i: 1 }); console.log("on it"); await ctx.tools.slow()',
        ),
      },
      { signal: cancel.signal },
    );
    await slow.started;
    cancel.abort();
    const result = await running;
    expect(result.error?.type).toBe('cancelled');
    expect(result.metadata['program']).toMatchObject({
      outcome: 'cancelled',
      tool_calls: [
        { tool_name: 'echo', success: true },
        { tool_name: 'slow', success: false, error: { type: 'cancelled' } },
      ],
      logs: [{ level: 'log', text: 'on it' }],
    });
    expect(slow.seen).toEqual({ aborted: true, finished: false });
    await session.close();
  });

  test('while the script loops', async () => {
    const session = await openSession();
    const cancel = new AbortController();
    const events = session.events();
    const running = session.program(
      { source: script('console.log("looping"); for (;;) {}') },
      { signal: cancel.signal },
    );
    for await (const event of events) if (event.type === 'tool_progress') break;
    cancel.abort();
    const result = await running;
    expect(result.metadata['program']).toMatchObject({
      outcome: 'cancelled',
      logs: [{ text: 'looping' }],
    });
    expect((await session.program({ source: script('return 1') })).structured).toBe(1);
    await session.close();
  });

  test('a deadline cancels the calls under way, and the result tells them', async () => {
    const slow = slowTool();
    const session = await openSession({ tools: [slow.tool] });
    const result = await session.program({
      source: script('await ctx.tools.slow()'),
      limits: { timeoutMs: 100 },
    });
    expect(result.error).toMatchObject({ type: 'timeout', duration_ms: 100 });
    expect(result.metadata['program']).toMatchObject({
      outcome: 'timeout',
      tool_calls: [{ tool_name: 'slow', success: false }],
    });
    expect(slow.seen).toEqual({ aborted: true, finished: false });
    await session.close();
  });

  test('a shorter limit of the caller holds too', async () => {
    const session = await openSession();
    const result = await session.program({ source: script('for (;;) {}') }, { timeoutMs: 100 });
    expect(result.error).toMatchObject({ type: 'timeout', duration_ms: 100 });
    await session.close();
  });

  test('closing the session in the middle leaves nothing', async () => {
    const slow = slowTool();
    const session = await openSession({ tools: [slow.tool] });
    const running = session.program({ source: script('await ctx.tools.slow()') });
    await slow.started;
    await session.close();
    expect((await running).exit_code).toBe(1);
    expect(slow.seen).toEqual({ aborted: true, finished: false });
  });
});

test('arguments that nest too deeply are refused, and so are too many of them', async () => {
  const session = await openSession();
  const body = `
    let deep = []; for (let i = 0; i < 300; i++) deep = [deep];
    const large = 'x'.repeat(900_000);
    const all = await Promise.all([ctx.tools.echo(deep), ctx.tools.echo({ text: large + large }), ...Array.from({ length: 12 }, () => ctx.tools.nothing({ large }))]);
    return all.map((r) => r.error.reason ?? r.error.type);`;
  const { structured } = await session.program({ source: script(body) });
  expect(structured).toEqual([
    'arguments_too_deep',
    'arguments_too_large',
    ...Array.from({ length: 9 }, () => 'unknown_tool'),
    ...Array.from({ length: 3 }, () => 'too_much_in_flight'),
  ]);
  await session.close();
});

test('lines and progress are events, nested calls are children', async () => {
  const session = await openSession();
  const events: ToolEvent[] = [];
  const stream = session.events();
  const listening = (async () => {
    for await (const event of stream) events.push(event);
  })();
  const body =
    'console.log("a", { b: 1 }); ctx.progress("half"); ctx.progress({ message: "more", current: 1, total: 2 }); console.error("c"); await ctx.tools.echo({}); return 1';
  const result = await session.program({ source: script(body) });
  stream.close();
  await listening;
  const progress = events.filter((event) => event.type === 'tool_progress');
  expect(
    progress.map(({ message, current, total, data }) => ({ message, current, total, data })),
  ).toEqual([
    { message: 'a {"b":1}', data: { source: 'console', level: 'log' } },
    { message: 'half' },
    { message: 'more', current: 1, total: 2 },
    { message: 'c', data: { source: 'console', level: 'error' } },
  ]);
  const child = events.find((event) => event.type === 'tool_start' && event.name === 'echo');
  expect(child?.parent_id).toBe(result.id);
  await session.close();
});
