import { setTimeout as wait } from 'node:timers/promises';
import { defineTool, type Budget } from '@toolwright/core';
import { describe, expect, test } from 'vitest';
import { echoTool, openSession, script } from './session-harness.ts';
import { smallTool } from './small-tools.ts';

describe('governed as if the agent had called', () => {
  const ask = smallTool('ask_first', async () => ({ output: 'done' }), {
    effects: [{ kind: 'exec', target: 'deploy' }],
  });

  test('approval in the middle of a script, live; waiting does not count', async () => {
    const asked: string[] = [];
    const session = await openSession({
      tools: [ask],
      host: { policy: { allow: ['program'] } },
      open: {
        approver: async ({ call }) => {
          asked.push(call.name);
          await wait(50);
          return { decision: 'approve' };
        },
      },
    });
    const result = await session.invoke({
      name: 'program',
      arguments: {
        type: 'script',
        source: script(
          'const r = []; for (let i = 0; i < 30; i++) r.push((await ctx.tools.ask_first()).output); return r',
        ),
        limits: { timeoutMs: 1_000, maxToolCalls: 30 },
      },
    });
    expect(result).toMatchObject({ structured: Array(30).fill('done'), error: null });
    expect(asked).toContain('ask_first');
    await session.close();
  });

  test('cancelled while somebody is asked: nothing runs, and the next program does', async () => {
    let asked = (): void => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const session = await openSession({
      tools: [ask],
      host: { policy: { allow: ['program'] } },
      open: {
        approver: async () => {
          asked();
          return new Promise(() => {});
        },
      },
    });
    const stop = new AbortController();
    const running = session.invoke(
      {
        name: 'program',
        arguments: { type: 'script', source: script('return (await ctx.tools.ask_first()).ok') },
      },
      { signal: stop.signal },
    );
    await isAsked;
    stop.abort();
    const { error, metadata } = await running;
    expect(error?.type).toBe('cancelled');
    expect(metadata['program']).toMatchObject({
      outcome: 'cancelled',
      tool_calls: [{ tool_name: 'ask_first', success: false, error: { type: 'cancelled' } }],
    });
    expect(session.activeTools()).toEqual([]);
    expect((await session.program({ source: script('return 1') })).structured).toBe(1);
    await session.close();
  });

  test('without an approver the call is refused, as a record', async () => {
    const session = await openSession({ tools: [ask], host: { policy: { allow: ['program'] } } });
    const result = await session.invoke({
      name: 'program',
      arguments: {
        type: 'script',
        source: script('return (await ctx.tools.ask_first()).error.type'),
      },
    });
    expect(result.structured).toBe('confirmation_rejected');
    await session.close();
  });

  test("only a host's own program of a trusted orchestrator is the host's", async () => {
    const source = script('return (await ctx.tools.ask_first()).ok');
    const trusted = await openSession({ tools: [ask] });
    expect((await trusted.program({ source })).structured).toBe(true);
    await trusted.close();
    const other = await openSession({ tools: [ask], trusted: false });
    expect((await other.program({ source })).structured).toBe(false);
    await other.close();
  });

  test('calls share the budget of the session; what it denies is a record', async () => {
    let used = 0;
    const budget: Budget = {
      check: () => ({ decision: 'allow' }),
      reserve: ({ tool }) => {
        if (tool !== 'echo') return { decision: 'allow' };
        used += 1;
        return used <= 2
          ? { decision: 'allow' }
          : { decision: 'deny', resource: 'calls', consumed: used, limit: 2 };
      },
      settle: () => {},
    };
    const session = await openSession({ host: { budget } });
    const result = await session.program({
      source: script(
        'const r = []; for (let i = 0; i < 3; i++) r.push((await ctx.tools.echo({ i })).error?.type ?? "ok"); return r',
      ),
    });
    expect(result.structured).toEqual(['ok', 'ok', 'budget_exceeded']);
    await session.close();
  });

  test('a program starts one agent a call', async () => {
    const task = defineTool({
      name: 'task',
      description: 'Starts agents.',
      input: {
        type: 'object',
        additionalProperties: false,
        properties: { tasks: { type: 'array' } },
      },
      effects: () => [],
      run: async ({ tasks = [] }) => ({ output: `${tasks.length} started` }),
    });
    const session = await openSession({ tools: [task] });
    const { structured } = await session.program({
      source: script(
        'const r = [await ctx.tools.task({ tasks: [1] }), await ctx.tools.task({ tasks: [1, 2] })]; return r.map((x) => x.error?.reason ?? x.output)',
      ),
    });
    expect(structured).toEqual(['1 started', 'fan_out']);
    await session.close();
  });

  test('a hidden tool is called only where the list names it', async () => {
    const hidden = smallTool('hidden', async () => ({ output: 'found' }), { visibility: 'hidden' });
    const session = await openSession({ tools: [hidden], trusted: false });
    const call = (args: object) =>
      session.program({ source: script('return (await ctx.tools.hidden()).output'), ...args });
    expect((await call({})).structured).toContain('unknown_tool');
    expect((await call({ allowedTools: ['hidden'] })).structured).toBe('found');
    await session.close();
  });

  test('text from outside makes the result untrusted, whatever the outcome', async () => {
    const outside = smallTool('outside', async () => ({
      output: 'do as I say',
      trust: 'external' as const,
    }));
    const session = await openSession({ tools: [outside, echoTool()] });
    const inside = await session.program({
      source: script('return (await ctx.tools.echo({})).trust'),
    });
    expect(inside).toMatchObject({ structured: 'workspace_data', trust: 'workspace_data' });
    const result = await session.program({
      source: script('return (await ctx.tools.outside()).trust'),
    });
    expect(result).toMatchObject({ structured: 'external', trust: 'external' });
    const failed = await session.program({
      source: script('throw new Error((await ctx.tools.outside()).output)'),
    });
    expect(failed).toMatchObject({
      trust: 'external',
      error: {
        type: 'script_error',
        message: 'The program failed (line 2).',
        detail: 'do as I say',
      },
    });
    await session.close();
  });
});
