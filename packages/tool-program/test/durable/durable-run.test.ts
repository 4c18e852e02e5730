import { setTimeout as wait } from 'node:timers/promises';
import { defineTool, type ApprovalAnswer, type JsonObject } from '@toolwright/core';
import { describe, expect, test } from 'vitest';
import { echoTool, memoryState, openSession, script } from '../session-harness.ts';
import { smallTool } from '../small-tools.ts';

/** Answers when `gate` opens, in the order of `order`: finishes later calls first where it is reversed. */
function delayed(delays: readonly number[]) {
  let calls = 0;
  const tool = smallTool('delayed', async () => {
    const mine = calls;
    calls += 1;
    await wait(delays[mine % delays.length] ?? 0);
    return { output: String(mine) };
  });
  return { tool, calls: () => calls };
}

function entriesOf(state: ReturnType<typeof memoryState>): readonly JsonObject[] {
  const key = [...state.kept.keys()].find((each) => each.includes('/runs/')) ?? '';
  const text = new TextDecoder().decode(state.kept.get(key));
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);
}

function rewriteLog(state: ReturnType<typeof memoryState>, change: (text: string) => string): void {
  const key = [...state.kept.keys()].find((each) => each.includes('/runs/')) ?? '';
  state.kept.set(key, Buffer.from(change(new TextDecoder().decode(state.kept.get(key)))));
}

test('equal calls are answered from the log; clock, random and order are those of the first run', async () => {
  const state = memoryState();
  const source = script(`
    const first = await Promise.race([1, 2, 3].map(async (n) => (await ctx.tools.delayed()).output));
    const all = [];
    await Promise.all([1, 2, 3].map(async () => all.push((await ctx.tools.delayed()).output)));
    return [first, all, Date.now(), new Date().toISOString(), performance.now(), Math.random()];`);
  const first = delayed([20, 10, 1]);
  const one = await openSession({ tools: [first.tool], open: { state } });
  const result = await one.program({ source, runId: 'r' });
  await one.close();
  expect(result.error).toBeNull();
  expect(first.calls()).toBe(6);

  const second = delayed([0]);
  const two = await openSession({
    tools: [second.tool],
    open: { state },
    host: { clock: () => 5, random: () => 0.5 },
  });
  const replay = await two.program({ source, runId: 'r' });
  expect(replay.structured).toEqual(result.structured);
  expect(replay.metadata['program']).toMatchObject({
    replayed_calls: 6,
    tool_calls: Array.from({ length: 6 }, () => ({ success: true })),
  });
  expect(second.calls()).toBe(0);
  const other = await two.program({ source, runId: 'other' });
  expect(other.structured).not.toEqual(result.structured);
  await two.close();
});

test('the clock stands still between answers, and moves with them', async () => {
  const state = memoryState();
  let now = 1_000;
  const session = await openSession({ open: { state }, host: { clock: () => now++ } });
  const body =
    'const a = Date.now(); for (let i = 0; i < 1e5; i++); const b = Date.now(); await ctx.tools.echo({}); return [b - a, Date.now() > b]';
  expect((await session.program({ source: script(body), runId: 'r' })).structured).toEqual([
    0,
    true,
  ]);
  await session.close();
});

test('stopped by a deadline, gone on with under a longer one', async () => {
  const state = memoryState();
  const work = delayed([0]);
  const session = await openSession({ tools: [work.tool], open: { state } });
  const source = script(
    'const r = []; for (let i = 0; i < 5; i++) r.push((await ctx.tools.delayed()).output); if (inputs.spin && Date.now() > 0) for (let i = 0; i < 1e8; i++); return r',
  );
  const call = { source, inputs: { spin: true }, runId: 'r' };
  const stopped = await session.program({ ...call, limits: { timeoutMs: 200 } });
  expect(stopped.error?.type).toBe('timeout');
  const result = await session.program({ ...call, limits: { timeoutMs: 100_000 } });
  expect(result.structured).toEqual(['0', '1', '2', '3', '4']);
  expect(work.calls()).toBe(5);
  await session.close();
});

test('stopped while an approval was pending: asked again, and run once', async () => {
  const state = memoryState();
  let ran = 0;
  const deploy = smallTool(
    'deploy',
    async () => {
      ran += 1;
      return { output: 'deployed' };
    },
    { effects: [{ kind: 'exec', target: 'deploy' }], capabilities: { readOnly: false } },
  );
  const source = script(
    'const before = (await ctx.tools.echo({ i: 1 })).output; return [before, (await ctx.tools.deploy()).output]',
  );
  const call = { type: 'script', source, run_id: 'r' };
  const open = (approver: () => Promise<ApprovalAnswer>) =>
    openSession({
      tools: [echoTool(), deploy],
      host: { policy: { allow: ['program', 'echo'] } },
      open: { state, approver },
    });
  let asked = (): void => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const first = await open(async () => {
    asked();
    return new Promise<never>(() => {});
  });
  const running = first.invoke({ name: 'program', arguments: call });
  await isAsked;
  await first.close();
  expect((await running).exit_code).toBe(1);
  expect(ran).toBe(0);

  const second = await open(async () => ({ decision: 'approve' }));
  const result = await second.invoke({ name: 'program', arguments: call });
  expect(result.structured).toEqual(['{"i":1}', 'deployed']);
  expect(ran).toBe(1);
  await second.close();
});

describe('divergence', () => {
  const source = script(
    'await ctx.tools.echo({ i: inputs.n }); await ctx.tools.echo({ i: 2 }); return 1',
  );
  async function begun() {
    const state = memoryState();
    const session = await openSession({ open: { state } });
    await session.program({ source, inputs: { n: 1 }, runId: 'r' });
    return { state, session };
  }

  test.each([
    ['another source', { source: `${source} `, inputs: { n: 1 } }, 'its source'],
    ['other inputs', { source, inputs: { n: 2 } }, 'its inputs'],
    [
      'another list of tools',
      { source, inputs: { n: 1 }, allowedTools: ['echo'] },
      'its allowed_tools',
    ],
    [
      'another language',
      { source, inputs: { n: 1 }, language: 'typescript' as const },
      'its source',
    ],
  ])('%s under the same id is refused before anything runs', async (_name, call, changed) => {
    const { session } = await begun();
    const { error } = await session.program({ ...call, runId: 'r' });
    expect(error).toMatchObject({
      type: 'version_conflict',
      reason: 'divergence',
      changed: [changed],
    });
    await session.close();
  });

  test.each([
    [
      'another tool',
      (text: string) =>
        text.replaceAll(
          '"id":1,"kind":"tool","name":"echo"',
          '"id":1,"kind":"tool","name":"write"',
        ),
      { step: 1, expected: 'write', actual: 'echo' },
    ],
    [
      'other arguments',
      (text: string) => text.replace(/("id":1,.*"args":")\w/, '$1#'),
      { step: 1, expected: 'echo', actual: 'echo' },
    ],
    [
      'a call that it does not make',
      (text: string) =>
        `${text}{"type":"call","id":2,"kind":"tool","name":"write","args":"x"}\n{"type":"answer","id":2,"now_ms":1,"json":"{}"}\n`,
      { expected: 'write', actual: null },
    ],
    [
      'another version',
      (text: string) => text.replace('"version":2', '"version":3'),
      { changed: ['the version of this package'] },
    ],
  ])('a log that tells of %s', async (_name, change, fields) => {
    const { state, session } = await begun();
    rewriteLog(state, change);
    const result = await session.program({ source, inputs: { n: 1 }, runId: 'r' });
    expect(result.error).toMatchObject({
      type: 'version_conflict',
      reason: 'divergence',
      ...fields,
    });
    await session.close();
  });

  test('a script that waits for an answer to a call that it has not made', async () => {
    const { state, session } = await begun();
    rewriteLog(state, (text) => {
      const lines = text.trim().split('\n');
      const isAnswer = (line: string, id: number) =>
        line.includes('"answer"') && line.includes(`"id":${id}`);
      const second = lines.filter((line) => isAnswer(line, 1));
      const rest = lines.filter((line) => !isAnswer(line, 1));
      return `${[rest[0], ...second, ...rest.slice(1)].join('\n')}\n`;
    });
    const result = await session.program({ source, inputs: { n: 1 }, runId: 'r' });
    expect(result.error).toMatchObject({ reason: 'divergence' });
    expect(result.metadata['program']).toMatchObject({ outcome: 'divergence' });
    await session.close();
  });
});

test('a line that a crash cut off is dropped, and its call made', async () => {
  const state = memoryState();
  const work = delayed([0]);
  const session = await openSession({ tools: [work.tool], open: { state } });
  const source = script('return [(await ctx.tools.delayed()).ok, (await ctx.tools.delayed()).ok]');
  await session.program({ source, runId: 'r' });
  rewriteLog(state, (text) => text.slice(0, text.lastIndexOf('{"type":"answer"') + 30));
  const result = await session.program({ source, runId: 'r' });
  // The call had begun, is idempotent and was made again.
  expect(result.structured).toEqual([true, true]);
  expect(work.calls()).toBe(3);
  expect(entriesOf(state).filter(({ type }) => type === 'answer')).toHaveLength(2);
  await session.close();
});

test('one run at a time, and only where the host keeps state', async () => {
  const session = await openSession({
    tools: [delayed([30]).tool],
    open: { state: memoryState() },
  });
  const call = { source: script('await ctx.tools.delayed(); return 1'), runId: 'r' };
  const results = await Promise.all([session.program(call), session.program(call)]);
  expect(results.map(({ error }) => error?.reason ?? 'ok').sort()).toEqual([
    'ok',
    'run_in_progress',
  ]);
  expect((await session.program(call)).structured).toBe(1);
  await session.close();

  const without = await openSession();
  expect((await without.program(call)).error).toMatchObject({
    type: 'unsupported',
    reason: 'no_state',
  });
  await without.close();
});

test('untrusted text stays untrusted in a replay, and the catalogue is answered from the log', async () => {
  const state = memoryState();
  const outside = smallTool('outside', async () => ({ output: 'x', trust: 'external' as const }));
  const source = script(
    'return [(await ctx.catalog.search("outside")).map((t) => t.name), (await ctx.tools.outside()).trust]',
  );
  for (const tools of [[outside], [echoTool()]]) {
    const session = await openSession({ tools, open: { state } });
    const result = await session.program({ source, runId: 'r' });
    expect(result).toMatchObject({ structured: [['outside'], 'external'], trust: 'external' });
    await session.close();
  }
});

test('a store that fails ends the program, typed', async () => {
  const state = memoryState();
  let appends = 0;
  const failing = {
    ...state,
    append: async (key: string, bytes: Uint8Array) => {
      appends += 1;
      if (appends > 2) throw new Error('disk full');
      await state.append(key, bytes);
    },
  };
  const session = await openSession({
    tools: [defineTool({ ...spec, run: async () => ({ output: '' }) })],
    open: { state: failing },
  });
  const result = await session.program({
    source: script('await ctx.tools.work({}); return 1'),
    runId: 'r',
  });
  expect(result.exit_code).toBe(1);
  expect(result.metadata['program']).toMatchObject({ outcome: 'fault' });
  await session.close();
});

const spec = {
  name: 'work',
  description: 'Works.',
  input: { type: 'object', additionalProperties: false, properties: {} },
  effects: () => [],
} as const;
