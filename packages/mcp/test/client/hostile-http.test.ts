import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { JsonValue } from '@toolwright/core';
import { createHttpClient } from '@toolwright/safe-http';
import { expect, onTestFinished, test } from 'vitest';
import { mcpEndpoints, type McpServerConfig } from '../../src/index.ts';
import { httpFixture, initialized, reply, send, type Behaviour } from './fixtures/http-server.ts';
import { openServers } from './fixtures/open.ts';

async function open(behave: Behaviour, more: McpServerConfig = {}) {
  const server = await httpFixture(behave);
  const s = { url: server.url, type: 'http', trust: 'trusted', timeoutMs: 500, ...more } as const;
  const http = createHttpClient({ allowPrivateHosts: mcpEndpoints({ s }) });
  onTestFinished(() => http.close());
  return { server, ...(await openServers({ s }, { mcp: { http } })) };
}

type Answer = (response: ServerResponse, id: number) => void;

const ok = (id: JsonValue): string =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'ok' }] } });

/** Makes a call that is answered in some way, and a plain one behind it, which must work. */
async function answered(answer: Answer, more: McpServerConfig = {}) {
  let calls = 0;
  const { session, server, mcp } = await open(({ body }, response) => {
    const { id, method } = body;
    if (method !== 'tools/call') return false;
    calls += 1;
    const number = typeof id === 'number' ? id : Number.NaN;
    if (calls === 1) answer(response, number);
    else send(response, 200, ok(number));
    return true;
  }, more);
  const result = await session.tool('mcp__s__echo');
  const after = await session.tool('mcp__s__echo');
  expect([after.output, after.error, mcp.status(session.id)[0]?.state]).toEqual([
    'ok',
    null,
    'ready',
  ]);
  expect([calls, server.count('initialize')]).toEqual([2, 1]);
  return result;
}

test.each([400, 402, 403, 404, 405, 406, 409, 410, 413, 415, 429, 500, 502, 503, 504])(
  'a call that is answered with %i fails with that status and the words of the server, once',
  async (status) => {
    const { error } = await answered((response) => {
      response.writeHead(status, { 'content-type': 'text/plain' }).end('because');
    });
    expect(error).toEqual({
      type: 'transport',
      reason: 'http_status',
      status,
      stage: 'run',
      message: `The MCP server s answered with HTTP ${status}.`,
      detail: 'because',
      retryable: status === 429 || status === 503,
    });
  },
);

const json = (text: (id: number) => string): Answer => {
  return (response, id) => send(response, 200, text(id));
};

test.each<[string, Answer]>([
  [
    'a web page',
    (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  ],
  ['bytes of no type', (response, id) => void response.writeHead(200).end(ok(id))],
  ['nothing', (response) => void response.writeHead(204).end()],
  ['an empty body', json(() => '')],
  ['half of an answer', json((id) => ok(id).slice(0, 30))],
  ['null', json(() => 'null')],
  ['an error that is null', json((id) => `{"jsonrpc":"2.0","id":${id},"error":null}`)],
  ['a result that is a text', json((id) => `{"jsonrpc":"2.0","id":${id},"result":"x"}`)],
])('a call that is answered with %s is a protocol error, in words', async (_, answer) => {
  const { error } = await answered(answer);
  expect(error).toMatchObject({
    type: 'transport',
    reason: 'protocol',
    message: 'The MCP server s answered with what is no result of a call.',
  });
  expect(error?.detail).not.toContain('\n');
});

const stream = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });
const cut = (response: ServerResponse): void => void response.socket?.destroy();

test.each<[string, Answer]>([
  ['closes the connection', cut],
  ['speaks no HTTP', ({ socket }) => void socket?.end('hello\r\n\r\n')],
  [
    'sends chunks without sizes',
    ({ socket }) =>
      void socket?.end(
        'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      ),
  ],
  [
    'sends less than it said',
    (response, id) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '9000' });
      response.write(ok(id), () => cut(response));
    },
  ],
  [
    'compresses what is not compressed',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end('nope');
    },
  ],
  [
    'cuts an event in its middle',
    (response, id) => stream(response).write(`data: ${ok(id).slice(0, 30)}`, () => cut(response)),
  ],
  [
    'ends the stream before the end of the event',
    (response, id) => stream(response).end(`data: ${ok(id)}`),
  ],
  [
    'sends events of another name',
    (response, id) => stream(response).end(`event: x\ndata: ${ok(id)}\n\n`),
  ],
  ['sends events that are no JSON', (response) => stream(response).end('data: {half\n\n')],
  [
    'names a time to come back, and nothing to come back to',
    (response) => stream(response).end('retry: 5\n\n'),
  ],
])('a server that %s leaves the outcome of its call uncertain, at once', async (_, answer) => {
  const { error } = await answered(answer);
  expect([error?.type, error?.reason, error?.retryable]).toEqual([
    'transport',
    'uncertain_outcome',
    false,
  ]);
  expect(error?.message).not.toContain('..');
});

test.each<[string, Answer]>([
  ['never', () => {}],
  ['with nothing but a comment', (response) => void stream(response).write(': soon\n\n')],
  ['to another id', json((id) => ok(id + 1))],
  ['to its id as a text', json((id) => ok(String(id)))],
  ['with a bare receipt', (response) => void response.writeHead(202).end()],
])('a call that is answered %s ends by its time', async (_, answer) => {
  const { error } = await answered(answer);
  expect([error?.type, error?.reason]).toEqual(['timeout', 'silent']);
});

test.each<[string, Answer]>([
  ['in a list of one', json((id) => `[${ok(id)}]`)],
  [
    'in a stream, over several lines',
    (response, id) =>
      stream(response).end(`: x\n\nid: 7\ndata: ${ok(id).replace(',', ',\ndata: ')}\r\n\r\n`),
  ],
  [
    'behind an event that is no message',
    (response, id) => stream(response).end(`data: {half\n\ndata: ${ok(id)}\n\n`),
  ],
  [
    'with another session id',
    (response, id) => {
      response.setHeader('mcp-session-id', 'x'.repeat(2_000));
      send(response, 200, ok(id));
    },
  ],
])('an answer %s is an answer', async (_, answer) => {
  expect((await answered(answer)).output).toBe('ok');
});

test('a server that always says when to come back, and never answers, is not asked without end', async () => {
  let events = 0;
  const { session, server } = await open(
    ({ body, httpMethod }, response) => {
      if (httpMethod !== 'GET' && body['method'] !== 'tools/call') return false;
      events += 1;
      stream(response).end(`id: ${events}\nretry: 0\ndata: \n\n`);
      return true;
    },
    { timeoutMs: 30_000 },
  );
  const { error } = await session.tool('mcp__s__echo');
  expect([error?.type, error?.reason]).toEqual(['transport', 'uncertain_outcome']);
  expect(server.count('tools/call')).toBe(1);
  expect(server.count('GET')).toBeLessThanOrEqual(4);
});

test('an answer that grows without end when it is unpacked is cut off', async () => {
  const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024, 'a'));
  const { error } = await answered(
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(bomb);
    },
    { maxMessageBytes: 100_000, timeoutMs: 20_000 },
  );
  expect([error?.type, error?.reason]).toEqual(['limit_exceeded', 'message_too_long']);
});

test.each([
  [307, 'too_many_redirects'],
  [302, 'redirect'],
])('a call that is redirected with %i to itself is followed no further', async (status, reason) => {
  const { session, server } = await open(({ body }, response) => {
    if (body['method'] !== 'tools/call') return false;
    response.writeHead(status, { location: '/mcp' }).end();
    return true;
  });
  const { error } = await session.tool('mcp__s__echo');
  expect([error?.type, error?.reason]).toEqual(['transport', reason]);
  expect(server.count('tools/call')).toBe(status === 307 ? 11 : 1);
});

test.each<[string, JsonValue, string]>([
  ['a result without content', {}, 'Invalid result for initialize: protocolVersion: Invalid input'],
  ['a version of nobody', { ...initialized, protocolVersion: '1999-01-01' }, '1999-01-01'],
])('a handshake with %s is a failure in one sentence', async (_, result, said) => {
  const { mcp, session } = await open(({ body }, response) => {
    if (body['method'] !== 'initialize') return false;
    reply(response, body['id'] ?? null, result);
    return true;
  });
  const status = mcp.status(session.id)[0];
  expect(status?.state).toBe('failed');
  expect(status?.reason).toContain(said);
  expect(status?.reason).not.toContain('\n');
});
