import { describe, expect, test } from 'vitest';
import type { Session } from '@toolwright/core';
import { fixture, openServers, until } from './fixtures/open.ts';

/** Collects the ticks of a session's calls. */
function ticksOf(session: Session): (number | undefined)[] {
  const ticks: (number | undefined)[] = [];
  const events = session.events();
  void (async () => {
    for await (const event of events) if (event.type === 'tool_progress') ticks.push(event.current);
  })();
  return ticks;
}

describe('progress and time', () => {
  test('every tick is told before the result, even those that come in one chunk with it', async () => {
    const { session } = await openServers({ s: fixture('burst') });
    const ticks = ticksOf(session);
    const result = await session.tool('mcp__s__echo');
    expect(result.output).toBe('done');
    await until(() => ticks.length >= 4);
    expect(ticks).toEqual([1, 2, 3, 4]);
  });

  test('MCP-021 (a): progress puts off the silence limit, the total cap stays', async () => {
    const config = { ...fixture('slow'), timeoutMs: 300, maxTotalMs: 900 };
    const { session, mcp } = await openServers({ s: config });
    const ticks = ticksOf(session);
    const { error } = await session.tool('mcp__s__echo', { forMs: 60_000, everyMs: 60 });
    expect([error?.type, error?.reason, error?.['duration_ms']]).toEqual(['timeout', 'total', 900]);
    expect(error?.message).toContain('maxTotalMs');
    expect(ticks.length).toBeGreaterThan(3);
    await until(() => mcp.status(session.id)[0]?.stderrTail.startsWith('cancelled ') === true);
  });

  test('MCP-021 (b): the total cap holds without progress', async () => {
    const config = { ...fixture('slow'), timeoutMs: 60_000, maxTotalMs: 200 };
    const { session } = await openServers({ s: config });
    const { error } = await session.tool('mcp__s__echo', { forMs: 60_000 });
    expect([error?.type, error?.reason]).toEqual(['timeout', 'total']);
  });

  test('MCP-021 (c): progress can be kept from putting anything off', async () => {
    const config = { ...fixture('slow'), timeoutMs: 300, resetTimeoutOnProgress: false };
    const { session } = await openServers({ s: config });
    const { error } = await session.tool('mcp__s__echo', { forMs: 60_000, everyMs: 50 });
    expect([error?.type, error?.reason, error?.['duration_ms']]).toEqual([
      'timeout',
      'silent',
      300,
    ]);
    expect(error?.message).toBe(
      'The MCP server s said nothing for 300 ms; the call was cancelled. Raise timeoutMs of this server if its tools need longer.',
    );
  });

  test('MCP-021 (d): token 0 is a token, unknown ones and steps back are ignored', async () => {
    const { session } = await openServers({ s: fixture('odd-progress') });
    const ticks = ticksOf(session);
    const result = await session.tool('mcp__s__echo');
    expect(result.output).toBe('token 0');
    await session.tool('mcp__s__echo');
    await until(() => ticks.length >= 2);
    expect(ticks).toEqual([1, 1]);
  });

  test('a call that is cancelled as soon as it is sent reaches its server as cancelled', async () => {
    const { session, mcp } = await openServers({ s: { ...fixture('slow'), trust: 'trusted' } });
    const stop = new AbortController();
    const call = { id: 'one', name: 'mcp__s__echo', arguments: { forMs: 20_000 } };
    const result = session.invoke(call, { signal: stop.signal });
    await new Promise(setImmediate);
    stop.abort();
    expect((await result).error?.type).toBe('cancelled');
    await until(() => /cancelled \d+/.test(mcp.status(session.id)[0]?.stderrTail ?? ''));
  });

  test('a cancelled call is cancelled, not timed out, and its server is told', async () => {
    const { session, mcp } = await openServers({ s: fixture('slow') });
    const stop = new AbortController();
    const call = session.tool('mcp__s__echo', { forMs: 60_000 }, { signal: stop.signal });
    await until(() => session.activeTools().some(({ stage }) => stage === 'run'));
    stop.abort();
    expect((await call).error?.type).toBe('cancelled');
    await until(() => mcp.status(session.id)[0]?.stderrTail.startsWith('cancelled ') === true);
  });
});

describe('failures', () => {
  test('a protocol error is a typed result with the code and the words of the server', async () => {
    const { session } = await openServers({ s: fixture('rpc-error') });
    const { error, exit_code, trust } = await session.tool('mcp__s__echo');
    expect(error).toEqual({
      type: 'transport',
      reason: 'protocol',
      stage: 'run',
      message: 'The MCP server s answered with the protocol error -32602.',
      detail: 'no such thing',
      code: -32_602,
      retryable: false,
    });
    expect([exit_code, trust]).toEqual([1, 'external']);
  });

  test('wrong arguments never reach the server', async () => {
    const { session } = await openServers({ s: fixture('plain') });
    const { error } = await session.tool('mcp__s__echo', { message: { not: 'text' } });
    expect(error?.type).toBe('invalid_argument');
  });

  test('a message larger than the ten megabytes of the SDK passes', async () => {
    const { session } = await openServers({ s: fixture('big') });
    const result = await session.tool('mcp__s__echo', { bytes: 10_500_000 });
    expect([result.error, result.output.startsWith('bbbb')]).toEqual([null, true]);
  });

  test('one over the cap costs its own call and nothing else', async () => {
    const config = { ...fixture('big'), maxMessageBytes: 100_000, trust: 'trusted' as const };
    const { session, mcp } = await openServers({ s: config });
    const [over, beside] = await Promise.all([
      session.tool('mcp__s__echo', { bytes: 300_000 }),
      session.tool('mcp__s__echo', { bytes: 5 }),
    ]);
    expect([over.error?.type, over.error?.reason]).toEqual(['limit_exceeded', 'message_too_long']);
    expect(beside.output).toBe('bbbbb');
    expect(mcp.status(session.id)[0]?.state).toBe('ready');
  });
});

describe('what servers ask', () => {
  const form = {
    method: 'elicitation/create',
    params: {
      message: 'Which one?',
      requestedSchema: {
        type: 'object',
        properties: {
          color: { type: 'string', enum: ['red', 'green'] },
          count: { type: 'integer', minimum: 1 },
          sure: { type: 'boolean' },
          note: { type: 'string', default: 'none' },
        },
        required: ['color', 'count'],
      },
    },
  };

  test('a form is put to the person a field at a time; answers are checked, defaults filled in', async () => {
    const answers = ['red', '0', '3', 'yes', ''];
    const questions: string[] = [];
    const { session } = await openServers(
      { s: fixture('request') },
      {
        open: {
          asker: async ({ question }) => {
            questions.push(question);
            return { answered: true, answer: answers.shift() ?? '' };
          },
        },
      },
    );
    const result = await session.tool('mcp__s__echo', form);
    expect(JSON.parse(result.output)).toEqual({
      action: 'accept',
      content: { color: 'red', count: 3, sure: true, note: 'none' },
    });
    expect(questions[0]).toBe('The MCP server s asks: Which one?\ncolor');
    expect(questions[2]).toContain('That cannot be taken: it is below 1.');
  });

  test('an answer is held to the whole schema of its field', async () => {
    const answers = ['one', 'one,two,one', 'one,two'];
    const questions: string[] = [];
    const { session } = await openServers(
      { s: fixture('request') },
      {
        open: {
          asker: async ({ question }) => {
            questions.push(question);
            return { answered: true, answer: answers.shift() ?? '' };
          },
        },
      },
    );
    const properties = {
      tags: {
        type: 'array',
        minItems: 2,
        maxItems: 2,
        items: { type: 'string', enum: ['one', 'two'] },
      },
    };
    const params = { message: 'Which?', requestedSchema: { type: 'object', properties } };
    const result = await session.tool('mcp__s__echo', { method: 'elicitation/create', params });
    expect(JSON.parse(result.output)).toEqual({
      action: 'accept',
      content: { tags: ['one', 'two'] },
    });
    expect(questions.map((question) => question.split('\n').at(-1))).toEqual([
      'tags (may be left empty)',
      expect.stringMatching(/^That cannot be taken: .*2 items/),
      expect.stringMatching(/^That cannot be taken: .*2 items/),
    ]);
  });

  test('an address is shown in full and opened by the person alone', async () => {
    const questions: string[] = [];
    const url = 'https://login.example.com/a?b=c';
    const { session } = await openServers(
      { s: fixture('request') },
      {
        open: {
          asker: async ({ question }) => {
            questions.push(question);
            return { answered: true, answer: 'done' };
          },
        },
      },
    );
    const params = { mode: 'url', elicitationId: 'e1', message: 'Log in.', url };
    const result = await session.tool('mcp__s__echo', { method: 'elicitation/create', params });
    expect(JSON.parse(result.output)).toEqual({ action: 'accept' });
    expect(questions).toEqual([
      `The MCP server s asks: Log in.\nIt wants you to open this address yourself (host login.example.com):\n${url}`,
    ]);
    const script = { ...params, url: 'javascript:alert(1)' };
    const refused = await session.tool('mcp__s__echo', {
      method: 'elicitation/create',
      params: script,
    });
    expect(refused.output).not.toContain('accept');
    expect(questions).toHaveLength(1);
  });

  test('with nobody there it is declined; with elicitation off it is unknown', async () => {
    const { session } = await openServers({ s: fixture('request') });
    const declined = await session.tool('mcp__s__echo', form);
    expect(JSON.parse(declined.output)).toEqual({ action: 'decline' });
    const off = await openServers({ s: fixture('request') }, { mcp: { elicitation: false } });
    const unknown = await off.session.tool('mcp__s__echo', form);
    expect(JSON.parse(unknown.output)).toMatchObject({ code: -32_601 });
  });

  test('the clock of a call stands while a person is asked', async () => {
    const { session } = await openServers(
      { s: { ...fixture('request'), timeoutMs: 300 } },
      {
        open: {
          asker: async () => {
            for (let waited = 0; waited < 12; waited += 1) {
              await new Promise((resolve) => {
                setTimeout(resolve, 50);
              });
            }
            return { answered: false, reason: 'away' };
          },
        },
      },
    );
    const result = await session.tool('mcp__s__echo', form);
    expect(JSON.parse(result.output)).toEqual({ action: 'decline' });
  });

  test('sampling is refused unless the host offers it', async () => {
    const request = {
      method: 'sampling/createMessage',
      params: { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 5 },
    };
    const { session } = await openServers({ s: fixture('request') });
    const refused = await session.tool('mcp__s__echo', request);
    expect(JSON.parse(refused.output)).toMatchObject({ code: -32_601 });
    const offered = await openServers(
      { s: fixture('request') },
      {
        mcp: {
          sampling: async ({ server, params }) => ({
            model: 'm',
            role: 'assistant',
            content: { type: 'text', text: `${server} ${params.maxTokens}` },
          }),
        },
      },
    );
    const answered = await offered.session.tool('mcp__s__echo', request);
    expect(JSON.parse(answered.output)).toMatchObject({ content: { type: 'text', text: 's 5' } });
  });

  test('roots are told only where they are configured', async () => {
    const none = await openServers({ s: fixture('request') });
    const refused = await none.session.tool('mcp__s__echo', { method: 'roots/list' });
    expect(JSON.parse(refused.output)).toMatchObject({ code: -32_601 });
    const some = await openServers({ s: { ...fixture('request'), roots: ['/srv/project'] } });
    const listed = await some.session.tool('mcp__s__echo', { method: 'roots/list' });
    expect(JSON.parse(listed.output)).toEqual({
      roots: [{ uri: 'file:///srv/project', name: 'project' }],
    });
  });
});
