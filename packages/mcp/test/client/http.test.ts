import { getEventListeners } from 'node:events';
import { createHttpClient } from '@toolwright/safe-http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { guardedFetch } from '../../src/client/guarded-fetch.ts';
import { mcpEndpoints, type McpServerConfig } from '../../src/index.ts';
import { httpFixture, initialized, reply, send } from './fixtures/http-server.ts';
import { openServers, until, type OpenServersOptions } from './fixtures/open.ts';

/** A session with servers by URL: their private endpoints are admitted for them, and for nothing else. */
async function openHttp(
  servers: Readonly<Record<string, McpServerConfig>>,
  options: OpenServersOptions = {},
) {
  const http = createHttpClient();
  const admitted = createHttpClient({ allowPrivateHosts: mcpEndpoints(servers) });
  onTestFinished(() => Promise.all([http.close(), admitted.close()]).then(() => undefined));
  return openServers(servers, {
    ...options,
    mcp: { http: admitted, ...options.mcp },
    open: { services: { http }, ...options.open },
  });
}

describe('endpoints', () => {
  test('a configured private endpoint is admitted for its server alone', async () => {
    const server = await httpFixture();
    const { session, mcp } = await openHttp({ s: { url: server.url } });
    expect((await session.tool('mcp__s__echo')).output).toBe('called');
    expect(mcp.status(session.id)[0]).toMatchObject({
      state: 'ready',
      transport: 'http',
      era: 'legacy',
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'http-fixture', version: '1.0.0' },
    });
    const other = createHttpClient();
    onTestFinished(() => other.close());
    await expect(other.request({ url: server.url })).rejects.toMatchObject({
      reason: 'address_refused',
    });
    const refused = await openServers(
      { s: { url: server.url } },
      { open: { services: { http: other } } },
    );
    expect(refused.mcp.status(refused.session.id)[0]?.reason).toContain('127.0.0.1');
    expect(refused.session.toolNames()).toEqual([]);
  });

  test('localhost is reached at its addresses', async () => {
    const server = await httpFixture();
    const { session } = await openHttp({ s: { url: `http://localhost:${server.port}/mcp` } });
    expect((await session.tool('mcp__s__echo')).output).toBe('called');
  });

  test('without a way to the network a server is listed with that reason', async () => {
    const { mcp, session } = await openServers({ s: { url: 'http://127.0.0.1:9/mcp' } });
    expect(mcp.status(session.id)[0]?.reason).toBe('the session offers no http service');
  });

  test('a redirect to another origin is not followed; nobody there sees a request', async () => {
    const elsewhere = await httpFixture();
    const server = await httpFixture((_request, response) => {
      response.writeHead(307, { location: elsewhere.url }).end();
      return true;
    });
    const { mcp, session } = await openHttp({ s: { url: server.url, type: 'http' } });
    expect(mcp.status(session.id)[0]?.state).toBe('failed');
    expect(elsewhere.seen).toEqual([]);
  });

  test('requests leave nothing on the signal that they share', async () => {
    const server = await httpFixture();
    const admitted = createHttpClient({ allowPrivateHosts: [`127.0.0.1:${server.port}`] });
    onTestFinished(() => admitted.close());
    const fetch = guardedFetch({
      url: new URL(server.url),
      admitted,
      general: undefined,
      kind: 'streamable',
      maxMessageBytes: 1_000,
      onStreamLost: () => {},
      onEgress: async () => {},
    });
    const { signal } = new AbortController();
    for (let count = 0; count < 20; count += 1) {
      const response = await fetch(server.url, { method: 'POST', body: '{"id":1}', signal });
      await response.text();
    }
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('MCP-020: fallback to HTTP+SSE only when told', () => {
  const rpc = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the first error"}}';
  test.each([
    { status: 405, body: '', gets: 1, told: 'the older HTTP+SSE transport failed too' },
    { status: 404, body: '', gets: 1, told: 'the older HTTP+SSE transport failed too' },
    { status: 400, body: 'Bad', gets: 1, told: 'Bad; the older HTTP+SSE transport failed too' },
    { status: 400, body: rpc, gets: 0, told: 'the first error' },
    { status: 403, body: '', gets: 0, told: 'HTTP 403' },
    { status: 500, body: '', gets: 0, told: 'HTTP 500' },
  ])('a POST answered with $status $body', async ({ status, body, gets, told }) => {
    const server = await httpFixture((request, response) => {
      if (request.httpMethod !== 'POST') return false;
      send(response, status, body);
      return true;
    });
    const { mcp, session } = await openHttp({ s: { url: server.url } });
    const [found] = mcp.status(session.id);
    expect(found?.state).toBe('failed');
    expect(found?.reason).toContain(told);
    expect(server.count('GET')).toBe(gets);
  });

  test('a POST answered with 401 needs authorization, and falls back to nothing', async () => {
    const server = await httpFixture((_request, response) => {
      send(response, 401, '');
      return true;
    });
    const { mcp, session } = await openHttp({ s: { url: server.url } });
    expect(mcp.status(session.id)[0]?.state).toBe('needs_auth');
    expect(server.count('GET')).toBe(0);
    expect(session.surface()[0]).toMatchObject({
      name: 'mcp__s',
      reason: 'server s needs authorization: the host has to authorize it',
    });
  });

  test('a refused connection is told as such', async () => {
    const { port } = await httpFixture();
    const { mcp, session } = await openHttp({ s: { url: `http://[::1]:${port}/mcp` } });
    expect(mcp.status(session.id)[0]).toMatchObject({ state: 'failed' });
    expect(mcp.status(session.id)[0]?.reason).toContain('ECONNREFUSED');
  });

  test('a type that is said is not second-guessed', async () => {
    const server = await httpFixture((_request, response) => {
      send(response, 405, '');
      return true;
    });
    await openHttp({ s: { url: server.url, type: 'http' } });
    expect(server.count('GET')).toBe(0);
  });

  test.each([405, 404, 406, 400])(
    'a GET answered with %i is ignored; calls work',
    async (status) => {
      const server = await httpFixture((request, response) => {
        if (request.httpMethod !== 'GET') return false;
        send(response, status, 'no stream here');
        return true;
      });
      const { session } = await openHttp({ s: { url: server.url, protocol: 'legacy' } });
      await until(() => server.count('GET') > 0);
      expect((await session.tool('mcp__s__echo')).output).toBe('called');
    },
  );
});

describe('MCP-011: a session that the server has forgotten', () => {
  const forgetful = (forgets: (session: string) => boolean) => {
    let sessions = 0;
    return httpFixture((request, response) => {
      const { id, method } = request.body;
      if (method === 'initialize' && id !== undefined) {
        sessions += 1;
        response.setHeader('mcp-session-id', `s${sessions}`);
        reply(response, id, initialized);
        return true;
      }
      if (method !== 'tools/call' || !forgets(String(request.headers['mcp-session-id'])))
        return false;
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not Found</h1>');
      return true;
    });
  };

  test('it is begun anew once, for all calls together, and each call is made again once', async () => {
    const server = await forgetful((session) => session === 's1');
    const config = { url: server.url, type: 'http', trust: 'trusted', protocol: 'legacy' } as const;
    const { session } = await openHttp({ s: config });
    const results = await Promise.all([1, 2, 3, 4].map(() => session.tool('mcp__s__echo')));
    expect(results.map(({ output }) => output)).toEqual(['called', 'called', 'called', 'called']);
    const greetings = server.seen.filter(({ body }) => body['method'] === 'initialize');
    expect(greetings.map(({ headers }) => headers['mcp-session-id'])).toEqual([
      undefined,
      undefined,
    ]);
    const calls = server.seen.filter(({ body }) => body['method'] === 'tools/call');
    expect(calls.filter(({ headers }) => headers['mcp-session-id'] === 's2')).toHaveLength(4);
  });

  test('a second time is an error, without a loop', async () => {
    const server = await forgetful(() => true);
    const { session } = await openHttp({
      s: { url: server.url, type: 'http', protocol: 'legacy' },
    });
    const { error } = await session.tool('mcp__s__echo');
    expect([error?.type, error?.reason]).toEqual(['transport', 'session_expired']);
    expect(server.count('initialize')).toBe(2);
    expect(server.count('tools/call')).toBe(2);
  });

  test('a 404 to the very first request is no such thing', async () => {
    const server = await httpFixture((_request, response) => {
      send(response, 404, '');
      return true;
    });
    const { mcp, session } = await openHttp({
      s: { url: server.url, type: 'http', protocol: 'legacy' },
    });
    expect(mcp.status(session.id)[0]?.state).toBe('failed');
    expect(server.count('initialize')).toBe(1);
  });

  test('the end of a session is told to the server', async () => {
    const server = await forgetful(() => false);
    const { session } = await openHttp({
      s: { url: server.url, type: 'http', protocol: 'legacy' },
    });
    await session.close();
    expect(server.seen.at(-1)).toMatchObject({
      httpMethod: 'DELETE',
      headers: { 'mcp-session-id': 's1' },
    });
  });
});

describe('streams', () => {
  test('an answer whose stream breaks off fails at once, of uncertain outcome', async () => {
    const server = await httpFixture((request, response) => {
      if (request.body['method'] !== 'tools/call') return false;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': begun\n\n', () => response.socket?.destroy());
      return true;
    });
    const { session } = await openHttp({ s: { url: server.url, type: 'http' } });
    const { error } = await session.tool('mcp__s__echo');
    expect([error?.type, error?.reason, error?.retryable]).toEqual([
      'transport',
      'uncertain_outcome',
      false,
    ]);
  });

  test('an answer over a stream arrives with its progress, one that ends early does not hang', async () => {
    const server = await httpFixture((request, response) => {
      const { id, method, params } = request.body;
      if (method !== 'tools/call') return false;
      const token = JSON.stringify(params).match(/"progressToken":(\d+)/)?.[1];
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const message = (value: object) =>
        `data: ${JSON.stringify({ jsonrpc: '2.0', ...value })}\n\n`;
      const tick = (progress: number) =>
        message({
          method: 'notifications/progress',
          params: { progressToken: Number(token), progress },
        });
      const done = message({ id, result: { content: [{ type: 'text', text: 'streamed' }] } });
      response.end(tick(1) + tick(2) + (Number(token) === 0 ? done : ''));
      return true;
    });
    const { session } = await openHttp({ s: { url: server.url, type: 'http' } });
    const ticks: unknown[] = [];
    const events = session.events();
    void (async () => {
      for await (const event of events)
        if (event.type === 'tool_progress') ticks.push(event.current);
    })();
    expect((await session.tool('mcp__s__echo')).output).toBe('streamed');
    await until(() => ticks.length === 2);
    expect((await session.tool('mcp__s__echo')).error?.reason).toBe('uncertain_outcome');
  });

  test('a standby stream that the server keeps ending is not asked for without end', async () => {
    const server = await httpFixture((request, response) => {
      if (request.httpMethod !== 'GET') return false;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('retry: 1\n\n');
      return true;
    });
    const { session } = await openHttp({
      s: { url: server.url, type: 'http', protocol: 'legacy' },
    });
    await until(() => server.count('GET') >= 3);
    for (let count = 0; count < 10; count += 1) await session.tool('mcp__s__echo');
    expect(server.count('GET')).toBe(3);
  });

  test('a message without an end is cut off', async () => {
    const server = await httpFixture((request, response) => {
      if (request.body['method'] !== 'tools/call') return false;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = (): void => {
        while (!response.destroyed && response.write(`data: ${'x'.repeat(10_000)}\n`));
        if (!response.destroyed) response.once('drain', more);
      };
      response.on('error', () => {});
      more();
      return true;
    });
    const config = { url: server.url, type: 'http', maxMessageBytes: 200_000 };
    const { session } = await openHttp({ s: config });
    const { error } = await session.tool('mcp__s__echo');
    expect(error?.type).toBe('transport');
  });
});
