import { readFileSync } from 'node:fs';
import { createHost, memoryWorkspace } from '@toolwright/core';
import { createHttpClient } from '@toolwright/safe-http';
import { expect, onTestFinished, test } from 'vitest';
import { mcpEndpoints, mcpServers } from '../../src/index.ts';
import { httpFixture, initialized, reply } from './fixtures/http-server.ts';
import { openServers, until } from './fixtures/open.ts';
import { okLine, rawServer } from './fixtures/raw-server.ts';

const listing = (name: string): string =>
  JSON.stringify({ tools: [{ name, inputSchema: { type: 'object' } }] });

test('what a server says of itself is cut, and shows what it hides', async () => {
  const instructions = `Be\u200b good.\u202e ${'x'.repeat(5_000)}`;
  const { config } = rawServer(undefined, { GREETED: JSON.stringify({ instructions }) });
  const { mcp, session } = await openServers({ s: config });
  const told = mcp.status(session.id)[0]?.instructions ?? '';
  expect([told.length, told.slice(0, 11)]).toEqual([4_096, 'Be good. xx']);
});

test('a server that tells of changes without having said that it would is heard', async () => {
  const server = rawServer(listing('before'), { GREETED: '{"capabilities":{"tools":{}}}' });
  const { session } = await openServers({ s: server.config });
  expect(session.toolNames()).toEqual(['mcp__s__before']);
  server.list(listing('after'));
  const changed = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
  await session.tool('mcp__s__before', { lines: [changed, okLine] });
  await until(() => session.toolNames()[0] === 'mcp__s__after');
});

test('a list that cannot be read when it changes leaves the old one, until it can', async () => {
  const server = rawServer(listing('before'));
  const { session, mcp } = await openServers({ s: server.config });
  server.list('null');
  const changed = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
  await session.tool('mcp__s__before', { lines: [changed, okLine] });
  await session.tool('mcp__s__before', { lines: [okLine] });
  expect(session.toolNames()).toEqual(['mcp__s__before']);
  server.list(listing('after'));
  // The first list failed after 300 ms, the next is asked for a second later.
  await until(() => session.toolNames()[0] === 'mcp__s__after');
  expect(mcp.status(session.id)[0]?.state).toBe('ready');
});

test('a program that says nothing to the newer protocol is started again as an older one, and remembered', async () => {
  const server = rawServer();
  const record = server.path('methods');
  const config = {
    ...server.config,
    env: { RECORD: record },
    protocol: 'auto',
    connectTimeoutMs: 1_500,
  } as const;
  const mcp = mcpServers({ s: config });
  const host = createHost({ providers: [mcp] });
  const methods = async (): Promise<readonly string[]> => {
    const session = await host.open({ workspace: memoryWorkspace() });
    onTestFinished(() => session.close());
    await session.ready();
    expect(mcp.status(session.id)[0]).toMatchObject({ state: 'ready', era: 'legacy' });
    return readFileSync(record, 'utf8').trim().split('\n');
  };
  const handshake = ['initialize', 'notifications/initialized', 'tools/list'];
  expect(await methods()).toEqual(['server/discover', ...handshake]);
  expect(await methods()).toEqual(['server/discover', ...handshake, ...handshake]);
});

test.each(['404', '500', 'never'])(
  'a session whose end is answered with %s ends all the same',
  async (how) => {
    const server = await httpFixture(({ body, httpMethod }, response) => {
      const { id = null, method } = body;
      if (method === 'initialize') {
        response.setHeader('mcp-session-id', 's1');
        reply(response, id, initialized);
        return true;
      }
      if (httpMethod !== 'DELETE') return false;
      if (how !== 'never') response.writeHead(Number(how)).end('gone');
      return true;
    });
    const s = { url: server.url, type: 'http', protocol: 'legacy' } as const;
    const http = createHttpClient({ allowPrivateHosts: mcpEndpoints({ s }) });
    onTestFinished(() => http.close());
    const { session } = await openServers({ s }, { mcp: { http } });
    await session.close();
    expect(server.count('DELETE')).toBe(1);
  },
);
