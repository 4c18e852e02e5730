import { createServer, request as httpRequest } from 'node:http';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';
import { defineTool } from '@toolwright/core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { serveHttp, staticTokens, type ServeHttpOptions } from '../../src/server/index.ts';
import { modernMeta, openTestSession, type TestSession } from './stdio-client.ts';
import { echo, noteTool, steps, waitingTool } from './test-tools.ts';

async function serve(session: TestSession = {}, options: ServeHttpOptions = {}) {
  const opened: (string | undefined)[] = [];
  const open = openTestSession({ tools: [echo], ...session });
  const serving = await serveHttp(async (client) => {
    opened.push(client.principal);
    return open(client);
  }, options);
  onTestFinished(() => serving.close());
  return { url: serving.url, port: serving.port, opened, close: () => serving.close() };
}

interface Raw {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request as bytes go over the wire: `fetch` would not send every header. */
function raw(url: string, { method = 'POST', headers = {}, body }: Raw) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>(
    (resolve, reject) => {
      const sent = httpRequest(
        url,
        {
          method,
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...headers,
          },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          response.once('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          );
        },
      );
      sent.once('error', reject);
      sent.end(body);
    },
  );
}

const message = (method: string, params: object = {}, id: number | undefined = 1) =>
  JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), method, params });

const initialize = message('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
});

async function begin(url: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await raw(url, { body: initialize, headers });
  expect(answer.status).toBe(200);
  return String(answer.headers['mcp-session-id']);
}

const ping = message('ping');

test.each<[string, Raw, number]>([
  ['a foreign Host', { headers: { host: 'evil.com' }, body: initialize }, 403],
  ['a Host that looks local', { headers: { host: 'localhost.evil.com' }, body: initialize }, 403],
  ['a foreign Origin', { headers: { origin: 'https://evil.com' }, body: initialize }, 403],
  ['an opaque Origin', { headers: { origin: 'null' }, body: initialize }, 403],
  [
    'a preflight of a foreign page',
    { method: 'OPTIONS', headers: { origin: 'https://evil.com' } },
    403,
  ],
  ['a preflight of nobody', { method: 'OPTIONS' }, 405],
  ['another method', { method: 'PUT', body: initialize }, 405],
  [
    'a body that is no JSON by its type',
    { headers: { 'content-type': 'text/plain' }, body: initialize },
    415,
  ],
  ['a body without a type', { headers: { 'content-type': '' }, body: initialize }, 415],
  [
    'an answer that cannot be a stream',
    { headers: { accept: 'application/json' }, body: initialize },
    406,
  ],
  ['a body that is too long', { body: `"${'x'.repeat(70_000)}"` }, 413],
  ['a body that is no JSON', { body: '{' }, 400],
  ['a request without a session', { body: ping }, 400],
  ['a session that is not there', { headers: { 'mcp-session-id': 'nope' }, body: ping }, 404],
  ['a stream without a session', { method: 'GET' }, 405],
  ['an end without a session', { method: 'DELETE' }, 400],
])('refuses %s', async (_title, request, status) => {
  const { url, opened } = await serve({}, { maxBodyBytes: 64_000 });
  const answer = await raw(url, request);
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.text)).toMatchObject({ jsonrpc: '2.0', error: {}, id: null });
  expect(opened).toEqual([]);
});

test('a body of unknown length is cut off when it is too long', async () => {
  const { url } = await serve({}, { maxBodyBytes: 1_000 });
  const answer = await raw(url, {
    headers: { 'transfer-encoding': 'chunked' },
    body: `"${'x'.repeat(100_000)}"`,
  });
  expect(answer.status).toBe(413);
});

test('another path is nothing, and an unknown revision is refused', async () => {
  const { url } = await serve();
  expect((await raw(new URL('/other', url).href, { body: initialize })).status).toBe(404);
  const id = await begin(url);
  const headers = { 'mcp-session-id': id, 'mcp-protocol-version': '1999-01-01' };
  expect((await raw(url, { headers, body: ping })).status).toBe(400);
});

test('pages of origins that are allowed get what browsers need; only they', async () => {
  const { url } = await serve({}, { allowedOrigins: ['https://app.example'] });
  const headers = { origin: 'https://app.example' };
  const preflight = await raw(url, { method: 'OPTIONS', headers });
  expect(preflight.status).toBe(204);
  expect(preflight.headers).toMatchObject({
    'access-control-allow-origin': 'https://app.example',
    'access-control-expose-headers': expect.stringContaining('mcp-session-id'),
  });
  const answer = await raw(url, { headers, body: initialize });
  expect(answer.headers['access-control-allow-origin']).toBe('https://app.example');
  expect(
    (await raw(url, { headers: { origin: 'http://app.example' }, body: initialize })).status,
  ).toBe(403);
  const local = await raw(url, { headers: { origin: 'http://localhost:5173' }, body: initialize });
  expect(local.headers['access-control-allow-origin']).toBeUndefined();
});

test('a session ends with DELETE, and is unknown from then on', async () => {
  const { url } = await serve();
  const headers = { 'mcp-session-id': await begin(url) };
  expect((await raw(url, { headers, body: ping })).status).toBe(200);
  expect((await raw(url, { method: 'DELETE', headers })).status).toBe(200);
  const gone = await raw(url, { headers, body: ping });
  expect([gone.status, JSON.parse(gone.text).error.code]).toEqual([404, -32_001]);
});

test('an idle session goes', async () => {
  const { url } = await serve({}, { idleMs: 20 });
  const id = await begin(url);
  // Asking is using, so the pauses have to be longer than a session may be idle.
  await vi.waitFor(
    async () => {
      const answer = await raw(url, { headers: { 'mcp-session-id': id }, body: ping });
      expect(answer.status).toBe(404);
    },
    { timeout: 30_000, interval: 50 },
  );
});

test('for one session too many, the one that was idle longest goes', async () => {
  const { url } = await serve({}, { maxSessions: 2 });
  const [first, second] = [await begin(url), await begin(url)];
  const status = async (id: string) =>
    (await raw(url, { headers: { 'mcp-session-id': id }, body: ping })).status;
  expect(await status(first)).toBe(200);
  const third = await begin(url);
  expect([await status(first), await status(second), await status(third)]).toEqual([200, 404, 200]);
});

test('without credentials it listens on this machine alone', async () => {
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.com']) {
    await expect(serveHttp(openTestSession({}), { host })).rejects.toThrow(TypeError);
  }
});

test('tokens: wrong ones are challenged, sessions belong to who began them', async () => {
  const [alice, bob] = ['alice-token-0123456789', 'bob-token-0123456789'];
  const { url, opened } = await serve(
    {},
    { auth: { verifier: staticTokens({ [alice]: 'alice', [bob]: 'bob' }) } },
  );
  const metadata = `${new URL(url).origin}/.well-known/oauth-protected-resource/mcp`;
  for (const authorization of [undefined, 'Bearer nope', `Basic ${alice}`, `Bearer ${alice}x`]) {
    const refused = await raw(url, {
      body: initialize,
      headers: authorization === undefined ? {} : { authorization },
    });
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toContain(`resource_metadata="${metadata}"`);
  }
  expect(JSON.parse((await raw(metadata, { method: 'GET' })).text)).toEqual({
    resource: url,
    bearer_methods_supported: ['header'],
  });
  const as = (token: string) => ({ authorization: `Bearer ${token}` });
  const id = await begin(url, as(alice));
  const use = async (token: string) =>
    (await raw(url, { headers: { ...as(token), 'mcp-session-id': id }, body: ping })).status;
  expect([await use(alice), await use(bob)]).toEqual([200, 404]);
  expect(opened).toEqual(['["alice",null]']);
  expect(() => staticTokens({ short: 'x' })).toThrow(TypeError);
});

test('as a resource server: expiry, scope and audience of a token count', async () => {
  const now = Math.floor(Date.now() / 1_000);
  const tokens: Readonly<Record<string, object>> = {
    good: { scopes: ['mcp'], expiresAt: now + 60, resource: new URL('https://mcp.example/mcp') },
    expired: { scopes: ['mcp'], expiresAt: now - 60, resource: new URL('https://mcp.example/mcp') },
    endless: { scopes: ['mcp'], resource: new URL('https://mcp.example/mcp') },
    narrow: { scopes: [], expiresAt: now + 60, resource: new URL('https://mcp.example/mcp') },
    elsewhere: { scopes: ['mcp'], expiresAt: now + 60, resource: new URL('https://other.example') },
  };
  const { url, port, opened } = await serve(
    {},
    {
      publicUrl: new URL('https://mcp.example/mcp'),
      auth: {
        verifier: {
          verifyAccessToken: async (token) => {
            const known = tokens[token];
            if (known === undefined) throw new OAuthError(OAuthErrorCode.InvalidToken, 'unknown');
            return { token, clientId: 'app', scopes: [], extra: { sub: 'carol' }, ...known };
          },
        },
        requiredScopes: ['mcp'],
        expectedResource: new URL('https://mcp.example/mcp'),
        authorizationServers: ['https://login.example'],
      },
    },
  );
  expect(url).toBe('https://mcp.example/mcp');
  const local = `http://127.0.0.1:${port}/mcp`;
  const status = async (token: string) =>
    (await raw(local, { body: initialize, headers: { authorization: `Bearer ${token}` } })).status;
  expect(await status('good')).toBe(200);
  for (const token of ['expired', 'endless', 'elsewhere', 'unknown']) {
    expect([token, await status(token)]).toEqual([token, 401]);
  }
  expect(await status('narrow')).toBe(403);
  expect(opened).toEqual(['["app","carol"]']);
  const metadata = await raw(`http://127.0.0.1:${port}/.well-known/oauth-protected-resource/mcp`, {
    method: 'GET',
  });
  expect(JSON.parse(metadata.text)).toEqual({
    resource: 'https://mcp.example/mcp',
    authorization_servers: ['https://login.example'],
    scopes_supported: ['mcp'],
    bearer_methods_supported: ['header'],
  });
});

test('fifty clients at once, old and new: each hears only its own', async () => {
  const { url, opened } = await serve({ tools: [echo, steps] });
  const one = async (index: number) => {
    const isOld = index % 2 === 0;
    const client = isOld
      ? new Client({ name: `old-${index}`, version: '1' })
      : new ModernClient(
          { name: `new-${index}`, version: '1' },
          { versionNegotiation: { mode: 'auto' } },
        );
    const nonce = `nonce-${index}`;
    await (client instanceof Client
      ? client.connect(new OldTransport(new URL(url)))
      : client.connect(new StreamableHTTPClientTransport(new URL(url))));
    const heard: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      const results = await Promise.all(
        Array.from({ length: 5 }, (_, call) =>
          client.callTool({ name: 'echo', arguments: { text: `${nonce}/${round}/${call}` } }),
        ),
      );
      for (const { content } of results) {
        const [block] = content as { text: string }[];
        heard.push(block?.text ?? '');
      }
    }
    await client.close();
    return heard.length === 10 && heard.every((text) => text.startsWith(`${nonce}/`));
  };
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, index) => one(index)));
  expect(outcomes).toEqual(Array.from({ length: 50 }, () => true));
  // One kernel session a client of the older protocol, one for all who have no credentials in the newer.
  expect(opened).toHaveLength(26);
});

test('the SDK’s first version as a client: list, call, progress, approval, cancel', async () => {
  const { note, ran } = noteTool();
  const { hang, state } = waitingTool();
  const { url } = await serve({ tools: [echo, note, steps, hang] });
  const client = new Client({ name: 'v1', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async () => ({
    action: 'accept',
    content: { decision: 'allow once' },
  }));
  await client.connect(new OldTransport(new URL(url)));
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
    'echo',
    'hang',
    'note',
    'steps',
  ]);
  expect((await client.callTool({ name: 'note', arguments: { text: 'a' } })).content).toEqual([
    { type: 'text', text: 'noted a' },
  ]);
  expect(ran).toEqual(['a']);
  const ticks: number[] = [];
  await client.callTool({ name: 'steps', arguments: { count: 3 } }, undefined, {
    onprogress: ({ progress }) => ticks.push(progress),
  });
  expect(ticks.slice(0, 2)).toEqual([1, 2]);
  const abort = new AbortController();
  const call = client.callTool({ name: 'hang' }, undefined, { signal: abort.signal });
  await vi.waitFor(() => expect(state.started).toBe(true));
  abort.abort();
  await expect(call).rejects.toThrow(/abort/i);
  await vi.waitFor(() => expect(state.aborted).toBe(true));
});

test('the newer protocol over HTTP: call, approval, and a cancel by closing the request', async () => {
  const { note, ran } = noteTool();
  const { hang, state } = waitingTool();
  const { url } = await serve({ tools: [echo, note, hang] });
  const client = new ModernClient(
    { name: 'v2', version: '1' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    },
  );
  client.setRequestHandler('elicitation/create', async () => ({
    action: 'accept',
    content: { decision: 'allow once' },
  }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  const result = await client.callTool({ name: 'note', arguments: { text: 'a' } });
  expect(result.content).toEqual([{ type: 'text', text: 'noted a' }]);
  expect(ran).toEqual(['a']);
  const abort = new AbortController();
  const call = client.callTool({ name: 'hang' }, { signal: abort.signal });
  await vi.waitFor(() => expect(state.started).toBe(true));
  abort.abort();
  await expect(call).rejects.toThrow(/abort/i);
  await vi.waitFor(() => expect(state.aborted).toBe(true));
});

test('a tool that needs what a newer client has not declared is an error that says what', async () => {
  const { url } = await serve({
    toolsFor: (client) => [
      defineTool({
        name: 'ask_model',
        description: 'Asks the client’s model.',
        input: { type: 'object', properties: {}, additionalProperties: false } as const,
        effects: () => [],
        run: async (_input, { invocation }) => {
          const answer = await client.request(invocation.id, 'answer', {
            method: 'sampling/createMessage',
            params: { messages: [], maxTokens: 1 },
          });
          return { output: JSON.stringify(answer) };
        },
      }),
    ],
  });
  const body = message('tools/call', { name: 'ask_model', _meta: modernMeta() });
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'ask_model',
  };
  const answer = await raw(url, { body, headers });
  expect([answer.status, JSON.parse(answer.text).error]).toEqual([
    400,
    expect.objectContaining({
      code: -32_021,
      data: { requiredCapabilities: { sampling: {} } },
    }),
  ]);
});

test('a port that is taken is an error, and close leaves no connection', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => {
    taken.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void taken.close());
  const address = taken.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  await expect(serveHttp(openTestSession({}), { port })).rejects.toThrow(/EADDRINUSE/);
  const { url, close } = await serve();
  await begin(url);
  await Promise.all([close(), close()]);
  await expect(raw(url, { body: initialize })).rejects.toThrow(/ECONN|hang up/);
});
