import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { createHttpClient } from '@toolwright/safe-http';
import { expect, onTestFinished, test } from 'vitest';
import { mcpEndpoints } from '../../src/index.ts';
import { httpFixture, reply } from './fixtures/http-server.ts';
import { openServers, until } from './fixtures/open.ts';

/** A server of the newer protocol, whose tools are those of the list. */
async function modernServer(tools: string[]): Promise<{
  readonly url: string;
  readonly http: HttpServer;
  readonly handler: ReturnType<typeof createMcpHandler>;
  /** How often the stream was asked for; `refuse` is how many of the next ones are refused. */
  readonly streams: { asked: number; refuse: number };
}> {
  const handler = createMcpHandler(
    () => {
      const server = new Server(
        { name: 'modern', version: '1.0.0' },
        { capabilities: { tools: { listChanged: true } } },
      );
      server.setRequestHandler('tools/list', () => ({
        tools: tools.map((name) => ({ name, inputSchema: { type: 'object' as const } })),
      }));
      return server;
    },
    { legacy: 'reject' },
  );
  const streams = { asked: 0, refuse: 0 };
  const answer = toNodeHandler(handler);
  const http = createServer((request, response) => {
    if (request.headers['mcp-method'] === 'subscriptions/listen') {
      streams.asked += 1;
      streams.refuse -= 1;
      if (streams.refuse >= 0) {
        response.writeHead(503).end();
        return;
      }
    }
    // What a server receives has a method and a URL.
    void answer(request as NodeIncomingMessageLike, response);
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    await handler.close();
    http.closeAllConnections();
    http.close();
  });
  // A TCP server that listens has an address with a port.
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, http, handler, streams };
}

async function open(url: string) {
  const servers = { s: { url, trust: 'trusted' } } as const;
  const http = createHttpClient({ allowPrivateHosts: mcpEndpoints(servers) });
  onTestFinished(() => http.close());
  return openServers(servers, { mcp: { http } });
}

test('a stream of changes that broke off is asked for again, and what changed meanwhile is found', async () => {
  const tools = ['first'];
  const server = await modernServer(tools);
  const { session, mcp } = await open(server.url);
  expect(mcp.status(session.id)[0]).toMatchObject({ state: 'ready', era: 'modern' });
  await until(() => server.streams.asked === 1);
  tools.push('second');
  server.handler.notify.toolsChanged();
  await until(() => session.toolNames().includes('mcp__s__second'));
  tools.push('third');
  // Nobody hears of it: the stream is gone, and does not come back at once.
  server.streams.refuse = 1;
  server.http.closeAllConnections();
  await until(() => session.toolNames().includes('mcp__s__third'));
  expect(server.streams.asked).toBe(3);
  tools.push('fourth');
  server.handler.notify.toolsChanged();
  await until(() => session.toolNames().includes('mcp__s__fourth'));
});

const discovered = {
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  serverInfo: { name: 'modern', version: '1.0.0' },
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
};

test('a result that does not say that it is complete is; one that is no result is told as such', async () => {
  const { url } = await httpFixture(({ body }, response) => {
    const { id = null, method, params } = body;
    if (method === 'server/discover') reply(response, id, discovered);
    else if (method === 'tools/list') {
      const tools = ['plain', 'odd'].map((name) => ({ name, inputSchema: { type: 'object' } }));
      reply(response, id, { tools, ttlMs: 0, cacheScope: 'private' });
    } else if (JSON.stringify(params).includes('"name":"odd"')) {
      reply(response, id, { resultType: 'something else' });
    } else reply(response, id, { content: [{ type: 'text', text: 'plain words' }] });
    return true;
  });
  const { session, mcp } = await open(url);
  expect(mcp.status(session.id)[0]).toMatchObject({
    state: 'ready',
    era: 'modern',
    reason: undefined,
  });
  const plain = await session.tool('mcp__s__plain', {});
  expect([plain.error, plain.output]).toEqual([null, 'plain words']);
  const odd = await session.tool('mcp__s__odd', {});
  expect(odd.error).toMatchObject({ type: 'transport', reason: 'protocol', retryable: false });
});

test.each([
  [
    'asks without end',
    {
      elicit: {
        method: 'elicitation/create',
        params: { message: 'Again?', requestedSchema: { type: 'object', properties: {} } },
      },
    },
  ],
  ['asks for what there is not', { odd: { method: 'nobody/knows', params: {} } }],
  ['asks for nothing', {}],
  ['asks in a shape of its own', 'a text'],
])(
  'a server that %s in place of an answer is a protocol error, after a bound',
  async (_, inputRequests) => {
    let calls = 0;
    const { url } = await httpFixture(({ body }, response) => {
      const { id = null, method } = body;
      if (method === 'server/discover') reply(response, id, discovered);
      else if (method === 'tools/list') {
        const tools = [{ name: 'ask', inputSchema: { type: 'object' } }];
        reply(response, id, { resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' });
      } else {
        calls += 1;
        reply(response, id, { resultType: 'input_required', inputRequests, requestState: 'x' });
      }
      return true;
    });
    const { session, mcp } = await open(url);
    const { error } = await session.tool('mcp__s__ask', {});
    expect(error).toMatchObject({ type: 'transport', reason: 'protocol', retryable: false });
    expect(calls).toBeLessThanOrEqual(16);
    expect(mcp.status(session.id)[0]?.state).toBe('ready');
  },
);
