import { createHttpClient } from '@toolwright/safe-http';
import { expect, onTestFinished, test } from 'vitest';
import { secretsOf } from '../../src/client/config-secrets.ts';
import { readServers } from '../../src/client/server-config.ts';
import { mcpEndpoints } from '../../src/index.ts';
import { httpFixture, send } from './fixtures/http-server.ts';
import { openServers, until } from './fixtures/open.ts';

const of = (config: object): readonly string[] => {
  const [reading] = readServers({ one: config });
  if (reading?.ok !== true) throw new Error('It cannot be read.');
  return secretsOf(reading.settings.endpoint);
};

test('secrets of a config are found by the names of what holds them', () => {
  expect(
    of({
      url: 'https://mcp.example.com/?api_key=in-the-url&page=not-secret',
      headers: { Authorization: 'Bearer in-a-header', Accept: 'application/json' },
    }),
  ).toEqual(['Bearer in-a-header', 'in-a-header', 'in-the-url']);
  expect(
    of({
      command: 'x',
      args: [
        '--verbose',
        '--token',
        'after-a-flag',
        '--password=in-a-flag',
        'api-key',
        'plain-word',
      ],
      env: { GITHUB_TOKEN: 'in-the-env', MODE: 'production', PASS: 'short' },
    }),
  ).toEqual(['after-a-flag', 'in-the-env', 'in-a-flag']);
});

const leaking = `
const fs = require('node:fs');
const { SERVICE_TOKEN: token, EXITS: exits } = process.env;
process.stderr.write('using ' + token + '\\n');
if (exits === 'yes') process.exit(4);
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  if (method === 'initialize') say({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } });
  if (method === 'tools/list') say({ id, result: { tools: [{ name: 'fail', inputSchema: { type: 'object' } }, { name: 'die', inputSchema: { type: 'object' } }] } });
  if (method !== 'tools/call') return;
  say({ method: 'notifications/message', params: { level: 'error', data: { token } } });
  if (params.name === 'die') process.exit(4);
  say({ id, error: { code: -32000, message: 'refused ' + token } });
});
`;

test('a program that repeats its token shows it nowhere: state, events, errors, surface', async () => {
  const token = 'the-token-of-the-service';
  const server = (exits: string) => ({
    command: process.execPath,
    args: ['-e', leaking],
    env: { SERVICE_TOKEN: token, EXITS: exits },
    trust: 'trusted' as const,
  });
  const { session, mcp, events } = await openServers({ runs: server('no'), exits: server('yes') });
  const failed = await session.tool('mcp__runs__fail');
  expect(failed.error).toMatchObject({ reason: 'protocol', detail: 'refused [REDACTED]' });
  await until(() => events.some(({ type }) => type === 'log'));
  const died = await session.tool('mcp__runs__die');
  expect(died.error).toMatchObject({
    reason: 'uncertain_outcome',
    detail: 'stderr: using [REDACTED]',
  });
  const all = JSON.stringify([mcp.status(session.id), events, session.surface(), failed, died]);
  expect(all).not.toContain(token);
  expect(all).toContain('using [REDACTED]');
  expect(mcp.status(session.id)[1]?.reason).toContain('exit code 4');
});

test('a server over HTTP that repeats its header shows it nowhere', async () => {
  const server = await httpFixture((request, response) => {
    if (request.body['method'] !== 'tools/call') return false;
    send(response, 500, `no, ${String(request.headers['authorization'])}`);
    return true;
  });
  const servers = { s: { url: server.url, headers: { Authorization: 'Bearer of-the-service' } } };
  const http = createHttpClient({ allowPrivateHosts: mcpEndpoints(servers) });
  onTestFinished(() => http.close());
  const { session } = await openServers(servers, { mcp: { http } });
  const { error } = await session.tool('mcp__s__echo');
  expect(error).toMatchObject({ reason: 'http_status', status: 500, detail: 'no, [REDACTED]' });
});
