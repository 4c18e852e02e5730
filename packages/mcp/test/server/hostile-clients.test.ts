import { expect, onTestFinished, test } from 'vitest';
import { defineTool } from '@toolwright/core';
import { serveHttp, staticTokens, type ServeHttpOptions } from '../../src/server/index.ts';
import { connectLines, modernMeta, openTestSession, type Wire } from './stdio-client.ts';
import { echo, steps, waitingTool } from './test-tools.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const deep = `"params":{"name":"echo","uri":"x","arguments":{"text":${nested(100_000)}}}`;

/** Requests whose parameters are wrong, with what is told of it. */
const wrong: readonly (readonly [string, object, string])[] = [
  ['tools/call', {}, '"params.name" must be a string.'],
  ['tools/call', { name: 5 }, '"params.name" must be a string.'],
  [
    'tools/call',
    { name: 'echo', arguments: [] },
    '"params.arguments" must be an object, or left out.',
  ],
  [
    'tools/call',
    { name: 'echo', arguments: '{}' },
    '"params.arguments" must be an object, or left out.',
  ],
  ['tools/list', { cursor: 5 }, '"params.cursor" must be a string, or left out.'],
  ['resources/list', { cursor: {} }, '"params.cursor" must be a string, or left out.'],
  ['resources/read', {}, '"params.uri" must be a string.'],
  ['resources/subscribe', { uri: 5 }, '"params.uri" must be a string.'],
  [
    'logging/setLevel',
    { level: 'loud' },
    '"params.level" must be one of debug, info, notice, warning, error, critical, alert, emergency.',
  ],
];

test('wrong parameters are invalid params, in one sentence, over stdio', async () => {
  const client = await connectLines({ tools: [echo] });
  await client.initialize();
  for (const [method, params, message] of wrong) {
    const answer = await client.request(method, params);
    expect([method, answer.error]).toEqual([method, { code: -32_602, message }]);
  }
  const bare = ['tools/call', 'resources/read'].map(async (method) => {
    client.send({ id: method, method });
    return (await client.find(({ id }) => id === method)).error?.code;
  });
  expect(await Promise.all(bare)).toEqual([-32_602, -32_602]);
});

test('a null stands for what is left out', async () => {
  const client = await connectLines({ tools: [echo] });
  await client.initialize();
  const called = await client.request('tools/call', { name: 'echo', arguments: null });
  expect(called.result).toMatchObject({ content: [{ type: 'text', text: '' }] });
  const listed = await client.request('tools/list', { cursor: null });
  expect(listed.result?.['tools']).toHaveLength(1);
});

test.each(['tools/call', 'tools/list', 'resources/read', 'initialize', 'ping', 'nobody/knows'])(
  'a %s that is nested without end is refused by its id, and the server lives',
  async (method) => {
    const client = await connectLines({ tools: [echo] });
    client.sendLine(`{"jsonrpc":"2.0","id":"deep","method":"${method}",${deep}}`);
    client.sendLine(`{"jsonrpc":"2.0","method":"notifications/${method}",${deep}}`);
    client.sendLine(`{"jsonrpc":"2.0","id":77,"result":{"a":${nested(100_000)}}}`);
    expect((await client.request('ping')).result).toEqual({});
    const { error } = await client.find(({ id }) => id === 'deep');
    expect(error).toEqual({
      code: -32_602,
      message: 'The message is nested more than 100 levels deep.',
    });
    expect(client.messages).toHaveLength(2);
  },
);

test('a second handshake, a cancel of nobody and one token for two calls do no harm', async () => {
  const client = await connectLines({ tools: [echo, steps] });
  await client.initialize();
  const again = await client.request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'again', version: '1' },
  });
  expect(again.result).toMatchObject({ protocolVersion: '2025-06-18' });
  for (const requestId of ['nobody', 99, {}, null]) {
    client.send({ method: 'notifications/cancelled', params: { requestId } });
  }
  const call = { name: 'steps', arguments: { count: 2 }, _meta: { progressToken: 'same' } };
  const both = await Promise.all([
    client.request('tools/call', call),
    client.request('tools/call', call),
  ]);
  for (const { result } of both) {
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
  }
});

test('one that writes and never reads is read no further than a bound, and still served when it reads', async () => {
  const large = defineTool({
    name: 'large',
    description: 'Answers at length.',
    input: { type: 'object', properties: {}, additionalProperties: false } as const,
    capabilities: { readOnly: true, maxParallelism: 64 },
    effects: () => [],
    run: async () => ({ output: 'x'.repeat(90_000) }),
  });
  const client = await connectLines({ tools: [large], maxUnreadBytes: 1_000_000 });
  await client.initialize();
  client.output.pause();
  const sent = 200;
  for (let index = 0; index < sent; index += 1) {
    client.send({ id: `call-${index}`, method: 'tools/call', params: { name: 'large' } });
    if (index % 10 === 0) await new Promise(setImmediate);
  }
  await expect.poll(() => client.input.isPaused()).toBe(true);
  expect(client.output.writableLength).toBeLessThan(sent * 90_000);
  client.output.resume();
  await client.find(({ id }) => id === `call-${sent - 1}`);
  const answers = client.messages.filter(({ id }) => String(id).startsWith('call-'));
  expect(answers).toHaveLength(sent);
});

async function serve(options: ServeHttpOptions = {}) {
  const serving = await serveHttp(
    openTestSession({
      tools: [
        echo,
        waitingTool().hang,
        defineTool({
          name: 'dump',
          description: 'Says more than is shown.',
          input: {
            type: 'object',
            properties: { text: { type: 'string' } },
            additionalProperties: false,
          } as const,
          capabilities: { readOnly: true },
          effects: () => [],
          run: async ({ text = '' }) => ({
            output: Array.from({ length: 20_000 }, (_, index) => `${text} ${index}`).join('\n'),
          }),
        }),
      ],
    }),
    options,
  );
  onTestFinished(() => serving.close());
  const post = async (body: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(serving.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body,
    });
    const text = await answer.text();
    const data = /^data: (.*)$/m.exec(text)?.[1] ?? (text.startsWith('{') ? text : '{}');
    // An answer as the protocol has them; what is looked at is compared whole.
    return { status: answer.status, headers: answer.headers, wire: JSON.parse(data) as Wire };
  };
  const begin = async (headers: Readonly<Record<string, string>> = {}) => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    };
    const answer = await post(
      JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
      headers,
    );
    return { ...headers, 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' };
  };
  const request = (method: string, params: object, headers: Readonly<Record<string, string>>) =>
    post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers);
  return { ...serving, post, begin, request };
}

test('wrong parameters are invalid params over HTTP too, in both protocols', async () => {
  const { begin, request } = await serve();
  const old = await begin();
  for (const [method, params, message] of wrong) {
    const { wire } = await request(method, params, old);
    expect([method, wire.id, wire.error]).toEqual([method, 1, { code: -32_602, message }]);
  }
  const modern = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'echo',
  };
  const called = { name: 'echo', arguments: null, _meta: modernMeta() };
  const { wire } = await request('tools/call', called, modern);
  expect(wire.result).toMatchObject({ content: [{ type: 'text', text: '' }] });
});

test('a method that the newer protocol has no longer is unknown there, whatever its parameters', async () => {
  const { request } = await serve();
  const client = await connectLines({ tools: [echo] });
  for (const method of ['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']) {
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
    const { wire } = await request(method, { _meta: modernMeta() }, headers);
    expect([method, wire.error?.code]).toEqual([method, -32_601]);
    const { error } = await client.request(method, { _meta: modernMeta() });
    expect([method, error?.code]).toEqual([method, -32_601]);
  }
});

test('what is nested without end is refused over HTTP, and the server lives', async () => {
  const { begin, post, request } = await serve();
  const old = await begin();
  const message = 'The message is nested more than 100 levels deep.';
  for (const [body, id] of [
    [`{"jsonrpc":"2.0","id":7,"method":"tools/call",${deep}}`, 7],
    [`{"jsonrpc":"2.0","id":7,"method":"initialize",${deep}}`, 7],
    [nested(100_000), null],
  ] as const) {
    expect((await post(body, old)).wire).toEqual({
      jsonrpc: '2.0',
      id,
      error: { code: -32_602, message },
    });
  }
  const { wire } = await request('tools/call', { name: 'echo', arguments: { text: 'yes' } }, old);
  expect(wire.result).toMatchObject({ content: [{ type: 'text', text: 'yes' }] });
});

test('outputs that one session has kept are no resources of another, also of the same person', async () => {
  const token = 'a-token-of-somebody-01';
  const other = 'a-token-of-another-002';
  const { begin, request } = await serve({
    auth: { verifier: staticTokens({ [token]: 'one', [other]: 'two' }) },
  });
  const [one, same, two] = await Promise.all([
    begin({ authorization: `Bearer ${token}` }),
    begin({ authorization: `Bearer ${token}` }),
    begin({ authorization: `Bearer ${other}` }),
  ]);
  const { wire } = await request('tools/call', { name: 'dump', arguments: { text: 'mine' } }, one);
  const content = wire.result?.['content'] as { type: string; uri?: string }[];
  const uri = content.find(({ type }) => type === 'resource_link')?.uri ?? '';
  expect(uri).toMatch(/^a3s:\/\/tool-output\/dump\//);
  const own = await request('resources/read', { uri }, one);
  expect(own.wire.result?.['contents']).toHaveLength(1);
  for (const session of [same, two]) {
    const { wire: refused } = await request('resources/read', { uri }, session);
    expect(refused.error).toMatchObject({ code: -32_602, data: { uri } });
    const listed = await request('resources/list', {}, session);
    expect(listed.wire.result).toEqual({ resources: [] });
  }
});

test('a second handshake within a session, and a list of requests, are told what they are', async () => {
  const { begin, post, request } = await serve();
  const session = await begin();
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  };
  const again = await request('initialize', params, session);
  expect([again.status, again.wire.error?.code]).toEqual([400, -32_600]);
  expect((await post('[]', session)).status).toBe(400);
  expect((await post('5', session)).status).toBe(400);
  const pings = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
  expect((await post(JSON.stringify(pings), session)).status).toBe(200);
});
