import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client';
import { createHttpClient } from '@toolwright/safe-http';
import { expect, onTestFinished, test } from 'vitest';
import { RefreshOnce } from '../../src/client/refresh-once.ts';
import { mcpEndpoints } from '../../src/index.ts';
import { httpFixture, send, type HttpFixture } from './fixtures/http-server.ts';
import { openServers } from './fixtures/open.ts';

/** A server that wants a token, and the authorization server that gives them, at one origin. */
async function guardedFixture() {
  const issued: string[] = [];
  const refreshes: string[] = [];
  let valid = 'none';
  const issue = (): string => {
    valid = `access-${issued.length + 1}`;
    issued.push(valid);
    return JSON.stringify({
      access_token: valid,
      token_type: 'Bearer',
      refresh_token: `refresh-${issued.length}`,
    });
  };
  const server: HttpFixture = await httpFixture((request, response) => {
    const { path, headers, text } = request;
    const base = `http://127.0.0.1:${server.port}`;
    if (path.startsWith('/.well-known/oauth-protected-resource')) {
      send(
        response,
        200,
        JSON.stringify({ resource: `${base}/mcp`, authorization_servers: [base] }),
      );
    } else if (path.startsWith('/.well-known/')) {
      const metadata = {
        issuer: base,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      };
      send(response, 200, JSON.stringify(metadata));
    } else if (path === '/token') {
      const params = new URLSearchParams(text);
      const refresh = params.get('refresh_token');
      if (refresh !== null) refreshes.push(refresh);
      const isOld = refresh !== null && refresh !== `refresh-${issued.length}`;
      if (isOld) send(response, 400, '{"error":"invalid_grant"}');
      else send(response, 200, issue());
    } else if (headers['authorization'] !== `Bearer ${valid}`) {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    } else {
      return false;
    }
    return true;
  });
  return {
    server,
    refreshes,
    expire: () => {
      valid = 'none';
    },
  };
}

/** An OAuth client that keeps everything in memory and notes where it was sent. */
function oauthClient() {
  const asked: URL[] = [];
  let tokens: OAuthTokens | undefined;
  let verifier = '';
  let discovered: OAuthDiscoveryState | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl: 'http://127.0.0.1:1/callback',
    clientMetadata: { redirect_uris: ['http://127.0.0.1:1/callback'] },
    clientInformation: () => ({ client_id: 'toolwright-test' }),
    tokens: () => tokens,
    saveTokens: (saved) => {
      tokens = saved;
    },
    redirectToAuthorization: (url) => void asked.push(url),
    saveCodeVerifier: (saved) => {
      verifier = saved;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (saved) => {
      discovered = saved;
    },
    discoveryState: () => discovered,
    invalidateCredentials: () => {
      tokens = undefined;
    },
  };
  return { provider, asked };
}

test('a server that wants a token waits for the host to authorize it; tokens that expire are refreshed once', async () => {
  const { server, refreshes, expire } = await guardedFixture();
  const { provider, asked } = oauthClient();
  const servers = {
    s: { url: server.url, type: 'http', protocol: 'legacy', trust: 'trusted' },
  } as const;
  const http = createHttpClient({ allowPrivateHosts: mcpEndpoints(servers) });
  onTestFinished(() => http.close());
  const { session, mcp } = await openServers(servers, { mcp: { http, auth: () => provider } });
  expect(mcp.status(session.id)[0]?.state).toBe('needs_auth');
  expect(asked).toHaveLength(1);
  expect(asked[0]?.searchParams.get('code_challenge_method')).toBe('S256');

  await mcp.finishAuth(session.id, 's', new URLSearchParams({ code: 'the-code' }));
  expect(mcp.status(session.id)[0]?.state).toBe('ready');
  expect((await session.tool('mcp__s__echo')).output).toBe('called');

  expire();
  const results = await Promise.all([1, 2, 3, 4, 5].map(() => session.tool('mcp__s__echo')));
  expect(results.map(({ output }) => output)).toEqual(results.map(() => 'called'));
  expect(refreshes).toEqual(['refresh-1']);
  expect(asked).toHaveLength(1);
});

test('a token of the host goes with every request; a server that is unknown is a mistake', async () => {
  const server = await httpFixture();
  const servers = { s: { url: server.url, type: 'http', headers: { 'x-team': 'blue' } } };
  const http = createHttpClient({ allowPrivateHosts: mcpEndpoints(servers) });
  onTestFinished(() => http.close());
  const { session, mcp } = await openServers(servers, {
    mcp: { http, auth: ({ name }) => ({ token: async () => `token-of-${name}` }) },
  });
  await session.tool('mcp__s__echo');
  const sent = new Set(
    server.seen.map(({ headers }) => [headers['authorization'], headers['x-team']].join(' ')),
  );
  expect(sent).toEqual(new Set(['Bearer token-of-s blue']));
  await expect(mcp.reconnect(session.id, 'other')).rejects.toThrow(TypeError);
});

test('refreshes of one token are one request; one that failed is not kept', async () => {
  const once = new RefreshOnce();
  const url = new URL('https://login.example.com/token');
  let requests = 0;
  const ask = (token: string, status: number) =>
    once.share(url, `grant_type=refresh_token&refresh_token=${token}`, async () => {
      requests += 1;
      return new Response(`{"refresh_token":"${token}.","n":${requests}}`, { status });
    });
  const shared = await Promise.all([ask('a', 200), ask('a', 200), ask('a', 200)]);
  expect(await Promise.all(shared.map((response) => response.text()))).toEqual(
    shared.map(() => '{"refresh_token":"a.","n":1}'),
  );
  expect(await (await ask('a', 200)).json()).toMatchObject({ n: 1 });
  // Who comes too late for the old token and brings the new one is not made to spend it.
  expect(await (await ask('a.', 200)).json()).toMatchObject({ n: 1 });
  expect(await (await ask('b', 500)).json()).toMatchObject({ n: 2 });
  expect(await (await ask('b', 200)).json()).toMatchObject({ n: 3 });
});
