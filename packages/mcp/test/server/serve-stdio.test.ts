import * as fc from 'fast-check';
import { defineTool, memoryWorkspace } from '@toolwright/core';
import { expect, test, vi } from 'vitest';
import { connectLines, modernMeta } from './stdio-client.ts';
import { echo, steps, waitingTool } from './test-tools.ts';

test('MCP-018: odd but parseable requests are answered each by its own id, and nothing else is', async () => {
  const client = await connectLines({ tools: [echo] });
  await client.initialize();
  client.send({
    id: '1',
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: 'a' } },
  });
  client.send({ id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text: 'b' } } });
  client.send({ id: 2, method: 'tools/call', params: { name: 'nope' } });
  client.send({ id: 3, method: 'tools/call', params: { name: 'echo' } });
  client.send({ method: 'notifications/nobody/knows' });
  client.send({ id: 4, method: 'nobody/knows' });
  client.send({ id: 5, method: 'tools/call', params: {} });
  client.send({ id: 6, method: 'ping' });
  const answers = await Promise.all(
    ['1', 1, 2, 3, 4, 5, 6].map((wanted) => client.find(({ id }) => id === wanted)),
  );
  expect(answers.map(({ id, result, error }) => [id, result?.['content'], error?.code])).toEqual([
    ['1', [{ type: 'text', text: 'a' }], undefined],
    [1, [{ type: 'text', text: 'b' }], undefined],
    [2, [{ type: 'text', text: 'unknown_tool: There is no tool named "nope".' }], undefined],
    [3, [{ type: 'text', text: '' }], undefined],
    [4, undefined, -32_601],
    [5, undefined, -32_602],
    [6, undefined, undefined],
  ]);
  expect(answers[2]?.result).toMatchObject({ isError: true });
  // The handshake and one answer each: the notification has none.
  expect(client.messages).toHaveLength(8);
});

test('MCP-022: malformed input is answered once, with its id where it has one', async () => {
  const client = await connectLines({ tools: [echo] });
  client.send({ id: 4, method: 'ping' });
  client.sendLine('garbage');
  client.sendLine('{"id":99,"method":"ping"}');
  client.sendLine('[]');
  client.sendLine('['.repeat(100_000));
  client.sendLine(`\ufeff${JSON.stringify({ jsonrpc: '2.0', id: '5', method: 'ping' })}`);
  client.send({ id: 5, method: 'ping' });
  await client.find(({ id }) => id === 5);
  await client.find(({ id }) => id === '5');
  await client.find(({ id }) => id === 4);
  expect(client.messages).toHaveLength(7);
  const of = (wanted: unknown) =>
    client.messages
      .filter(({ id }) => id === wanted)
      .map(({ error, result }) => error?.code ?? result);
  expect(of(4)).toEqual([{}]);
  expect(of(99)).toEqual([-32_600]);
  expect(of(null)).toEqual([-32_700, -32_600, -32_700]);
  expect(of('5')).toEqual([{}]);
  expect(of(5)).toEqual([{}]);
});

test('a message that is too long is refused and skipped, and the connection lives', async () => {
  const client = await connectLines({ tools: [echo], maxMessageBytes: 1_000 });
  await client.initialize();
  client.send({
    id: 1,
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: 'x'.repeat(2_000) } },
  });
  expect((await client.request('ping')).result).toEqual({});
  expect(client.messages.filter(({ id }) => id === null)).toEqual([
    {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_600, message: 'A message has at most 1000 bytes.' },
    },
  ]);
});

test('fuzz: whatever lines come, the server lives and says only JSON-RPC', async () => {
  const errors: Error[] = [];
  const client = await connectLines({ tools: [echo], onError: (error) => errors.push(error) });
  await client.initialize();
  const methods = fc.constantFrom(
    'tools/call',
    'tools/list',
    'resources/read',
    'resources/list',
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'server/discover',
    'subscriptions/listen',
    'notifications/cancelled',
    'notifications/progress',
    'nope',
  );
  const params = fc.oneof(
    fc.jsonValue(),
    fc.record({ name: fc.constantFrom('echo', 'x'), arguments: fc.jsonValue() }),
    fc.record({ uri: fc.string(), cursor: fc.string(), level: fc.string() }, { requiredKeys: [] }),
    fc.record({ _meta: fc.oneof(fc.jsonValue(), fc.constant(modernMeta())) }),
  );
  const lines = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record(
        {
          jsonrpc: fc.constantFrom('2.0', '1.0', 2),
          id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue()),
          method: fc.oneof(methods, fc.jsonValue()),
          params,
          result: fc.jsonValue(),
          error: fc.jsonValue(),
        },
        { requiredKeys: ['jsonrpc'] },
      )
      .map((message) => JSON.stringify(message)),
  );
  const runs = process.env['TOOLWRIGHT_LONG'] === '1' ? 200 : 20;
  let pings = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(lines, { maxLength: 30 }), async (batch) => {
      for (const line of batch) client.sendLine(line.replaceAll(/[\r\n]/g, ' '));
      pings += 1;
      const wanted = `fuzz-ping-${pings}`;
      client.send({ id: wanted, method: 'ping' });
      expect((await client.find(({ id }) => id === wanted)).result).toEqual({});
      for (const message of client.messages) {
        expect(message['jsonrpc']).toBe('2.0');
        expect('result' in message || 'error' in message || 'method' in message).toBe(true);
      }
    }),
    { numRuns: runs },
  );
});

test('every well-formed request is answered exactly once, whatever its id and params', async () => {
  const client = await connectLines({ tools: [echo] });
  await client.initialize();
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('tools/call', 'tools/list', 'resources/read', 'resources/list', 'nope'),
      fc.dictionary(fc.string(), fc.jsonValue()),
      async (method, params) => {
        sent += 1;
        const wanted = `request-${sent}`;
        client.send({ id: wanted, method, params });
        await client.find(({ id }) => id === wanted);
        expect((await client.request('ping')).result).toEqual({});
        expect(client.messages.filter(({ id }) => id === wanted)).toHaveLength(1);
      },
    ),
    { numRuns: 60 },
  );
});

test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'])(
  'answers the older revision %s with itself',
  async (revision) => {
    const client = await connectLines({ tools: [echo] });
    const { result } = await client.initialize({}, revision);
    expect(result).toMatchObject({
      protocolVersion: revision,
      serverInfo: { name: 'toolwright', title: 'Toolwright' },
      capabilities: { tools: { listChanged: true }, logging: {} },
    });
  },
);

test('the list is one page, the same bytes each time, and a cursor of nobody is refused', async () => {
  const client = await connectLines({ tools: [steps, echo] });
  await client.initialize();
  const first = await client.request('tools/list');
  const second = await client.request('tools/list');
  expect(JSON.stringify(second.result)).toBe(JSON.stringify(first.result));
  expect(first.result).toEqual({
    tools: [
      {
        name: 'echo',
        title: 'Echo',
        description: 'Answers with what it is given.',
        inputSchema: {
          type: 'object',
          properties: { text: { type: 'string' } },
          additionalProperties: false,
        },
        annotations: {
          title: 'Echo',
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      },
      expect.objectContaining({ name: 'steps', title: 'Steps' }),
    ],
  });
  expect((await client.request('tools/list', { cursor: 'nope' })).error?.code).toBe(-32_602);
});

test('more than a thousand tools come in pages', async () => {
  const tools = Array.from({ length: 1_001 }, (_, index) =>
    defineTool({
      name: `tool_${String(index).padStart(4, '0')}`,
      description: 'One of many.',
      input: { type: 'object', properties: {}, additionalProperties: false } as const,
      run: async () => ({ output: '' }),
    }),
  );
  const client = await connectLines({ tools });
  await client.initialize();
  const { result } = await client.request('tools/list');
  const rest = await client.request('tools/list', { cursor: result?.['nextCursor'] });
  const names = [result, rest.result].flatMap((page) =>
    ((page?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name),
  );
  expect(names).toEqual(tools.map(({ name }) => name));
  expect(rest.result?.['nextCursor']).toBeUndefined();
});

test.each(['older', 'newer'] as const)(
  'a cancelled call ends, and is not answered (%s protocol)',
  async (era) => {
    const { hang, state } = waitingTool();
    const client = await connectLines({ tools: [hang] });
    const isOld = era === 'older';
    if (isOld) await client.initialize();
    client.send({
      id: 7,
      method: 'tools/call',
      params: { name: 'hang', ...(isOld ? {} : { _meta: modernMeta() }) },
    });
    await vi.waitFor(() => expect(state.started).toBe(true));
    client.send({
      method: 'notifications/cancelled',
      params: { requestId: 7, ...(isOld ? {} : { _meta: modernMeta() }) },
    });
    await vi.waitFor(() => expect(state.aborted).toBe(true));
    const probe = await client.request('tools/list', isOld ? {} : { _meta: modernMeta() });
    expect(probe.error).toBeUndefined();
    expect(client.messages.filter(({ id }) => id === 7)).toEqual([]);
  },
);

test('progress grows, carries the token, and all of it comes before the result', async () => {
  const client = await connectLines({ tools: [steps] });
  await client.initialize();
  client.send({
    id: 1,
    method: 'tools/call',
    params: { name: 'steps', arguments: { count: 40 }, _meta: { progressToken: 0 } },
  });
  await client.find(({ id }) => id === 1);
  const ticks = client.messages.filter(({ method }) => method === 'notifications/progress');
  expect(client.messages.at(-1)?.id).toBe(1);
  expect(ticks.length).toBeLessThanOrEqual(11);
  const numbers = ticks.map(({ params }) => (params as { progress: number }).progress);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  expect(ticks.at(-1)?.['params']).toEqual({ progressToken: 0, progress: 40, total: 40 });
  const quiet = await client.request('tools/call', { name: 'steps', arguments: { count: 3 } });
  expect(quiet.error).toBeUndefined();
  expect(client.messages.filter(({ method }) => method !== undefined)).toHaveLength(ticks.length);
});

test('tells once that the tools have changed, and lists what is there then', async () => {
  const later = defineTool({
    name: 'later',
    description: 'Comes later.',
    input: { type: 'object', properties: {}, additionalProperties: false } as const,
    visibility: 'deferred',
    run: async () => ({ output: '' }),
  });
  const load = defineTool({
    name: 'load',
    description: 'Brings later, thrice.',
    input: { type: 'object', properties: {}, additionalProperties: false } as const,
    effects: () => [],
    run: async (_input, { catalog }) => {
      catalog.load(['later'], 'test');
      catalog.unload(['later']);
      catalog.load(['later'], 'test');
      return { output: '' };
    },
  });
  const client = await connectLines({ tools: [later, load] });
  await client.initialize();
  const names = async () =>
    (((await client.request('tools/list')).result?.['tools'] ?? []) as { name: string }[]).map(
      ({ name }) => name,
    );
  expect(await names()).toEqual(['load']);
  await client.request('tools/call', { name: 'load' });
  await client.find(({ method }) => method === 'notifications/tools/list_changed');
  expect(await names()).toEqual(['later', 'load']);
  expect(
    client.messages.filter(({ method }) => method === 'notifications/tools/list_changed'),
  ).toHaveLength(1);
});

test('ends with its input: what runs is cancelled and the session closed', async () => {
  const { hang, state } = waitingTool();
  const workspace = memoryWorkspace();
  const close = vi.spyOn(workspace, 'close');
  const client = await connectLines({ tools: [hang], workspace });
  await client.initialize();
  client.send({ id: 1, method: 'tools/call', params: { name: 'hang' } });
  await vi.waitFor(() => expect(state.started).toBe(true));
  client.input.end();
  await client.serving.closed;
  expect(state.aborted).toBe(true);
  expect(close).toHaveBeenCalledTimes(1);
});

test('ends when nobody reads its output any more', async () => {
  const client = await connectLines({ tools: [echo] });
  await client.initialize();
  client.output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  await expect(client.serving.closed).resolves.toBeUndefined();
});
