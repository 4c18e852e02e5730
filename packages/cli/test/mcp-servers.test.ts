import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { commandLine } from './session.ts';

/** A server over stdio with one tool, which says what it was given in its environment. */
const script = `
process.stdin.setEncoding('utf8');
let rest = '';
process.stdin.on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    const results = {
      initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
      'tools/list': { tools: [{ name: 'env', description: 'Tells.', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: String(process.env.GIVEN) }] },
    };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }));
  }
});
`;

function configured(servers: Readonly<Record<string, object>>) {
  const cli = commandLine({ 'notes.txt': 'hello\n' });
  const path = join(cli.base, 'server.cjs');
  writeFileSync(path, script);
  const own = { command: process.execPath, args: [path] };
  const config = join(cli.base, 'toolwright.config.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { own, ...servers } }));
  return { cli, own, config, path };
}

test('tools of configured servers are called, and servers that failed are listed with their reason', async () => {
  const { cli, config } = configured({
    broken: { command: '/nowhere/to/be/found' },
    unset: { url: 'https://mcp.example.com/', headers: { Authorization: '${env:NOT_SET}' } },
    late: {
      command: process.execPath,
      args: ['-e', 'setInterval(() => {}, 1000)'],
      connectTimeoutMs: 300,
    },
    off: { command: 'x', disabled: true },
  });
  const listed = await cli.run(['tools', '--all', '--json', '--config', config]);
  expect(listed.code).toBe(0);
  const { tools } = JSON.parse(listed.stdout);
  const of = (name: string) => tools.find((tool: { name: string }) => tool.name === name);
  expect(of('mcp__own__env')).toMatchObject({ provider: 'mcp', state: 'visible' });
  expect(of('mcp__broken')).toMatchObject({
    state: 'absent',
    reason: expect.stringContaining('ENOENT'),
  });
  expect(of('mcp__unset')).toMatchObject({
    state: 'absent',
    reason: 'server unset failed: config_error: env NOT_SET is not set (headers.Authorization)',
  });
  expect(of('mcp__late')).toMatchObject({
    state: 'absent',
    reason: 'server late failed: it was not ready within 300 ms (connectTimeoutMs)',
  });
  expect(of('mcp__off')).toMatchObject({ state: 'absent', reason: 'server off is disabled' });
  const called = await cli.run(['call', 'mcp__own__env', '{}', '--config', config]);
  expect(called).toMatchObject({ code: 0, stdout: 'undefined\n' });
});

test('values of the environment reach their server and nobody else', async () => {
  const { cli, config, own } = configured({});
  const env = { GIVEN: '${env:OWN_TOKEN}' };
  writeFileSync(config, JSON.stringify({ mcpServers: { own: { ...own, env } } }));
  cli.env['OWN_TOKEN'] = 'a-secret-token';
  const called = await cli.run(['call', 'mcp__own__env', '{}', '--config', config]);
  expect(called.code).toBe(0);
  expect(called.stdout).not.toContain('a-secret-token');
  expect(called.stdout).not.toContain('undefined');
});

test.each([
  ['${env:OWN_TOKEN}', 'a-secret-token'],
  ['${OWN_TOKEN}', 'a-secret-token'],
  ['$OWN_TOKEN', 'a-secret-token'],
  ['Bearer ${OWN_TOKEN:-nothing}', 'Bearer a-secret-token'],
  ['${UNSET:-a default: of its own}', 'a default: of its own'],
  ['${env:EMPTY:-instead}', 'instead'],
  ['costs $5, or $OWN_TOKEN', 'costs $5, or $OWN_TOKEN'],
])('a value %s of a server is filled in from the environment', async (given, expected) => {
  const { cli, config, own } = configured({});
  writeFileSync(config, JSON.stringify({ mcpServers: { own: { ...own, env: { GIVEN: given } } } }));
  Object.assign(cli.env, { OWN_TOKEN: 'a-secret-token', EMPTY: '' });
  const called = await cli.run(['call', 'mcp__own__env', '{}', '--config', config]);
  const shown = expected.includes('a-secret-token')
    ? expected.replace('a-secret-token', '[REDACTED]')
    : expected;
  expect(called).toMatchObject({ code: 0, stdout: `${shown}\n` });
});

test('outside of servers only ${env:NAME} is filled in, and a variable that is not set is a mistake', async () => {
  const { cli, config } = configured({});
  const policy = { allow: ['exec:echo ${HOME}', 'exec:echo $HOME'] };
  writeFileSync(config, JSON.stringify({ policy }));
  expect((await cli.run(['tools', '--config', config])).code).toBe(0);
  writeFileSync(config, JSON.stringify({ web: { proxy: '${env:NOT_SET}' } }));
  const refused = await cli.run(['tools', '--config', config]);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    `${config}: /web/proxy: the environment has no variable NOT_SET\n`,
  ]);
});

test('a server whose variable is not set is told so, in each way of writing it', async () => {
  const { cli, config, own } = configured({});
  const servers = {
    braces: { ...own, args: ['${NOT_SET}'] },
    named: { ...own, args: ['${env:NOT_SET}'] },
    plain: { ...own, env: { TOKEN: '$NOT_SET' } },
  };
  writeFileSync(config, JSON.stringify({ mcpServers: servers }));
  const { stdout } = await cli.run(['servers', '--config', config]);
  expect(stdout.trimEnd().split('\n')).toEqual([
    'braces  failed, config_error: env NOT_SET is not set (args.0)',
    'named   failed, config_error: env NOT_SET is not set (args.0)',
    'plain   failed, config_error: env NOT_SET is not set (env.TOKEN)',
  ]);
});

test('a private endpoint is open for its server, and for no other tool', async () => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const { id, method } = text === '' ? { id: undefined, method: '' } : JSON.parse(text);
      const results: Record<string, object> = {
        initialize: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 's', version: '1' },
        },
        'tools/list': { tools: [{ name: 'hello', inputSchema: { type: 'object' } }] },
        'tools/call': { content: [{ type: 'text', text: 'hello over http' }] },
      };
      const result = results[method];
      if (result === undefined) response.writeHead(id === undefined ? 202 : 404).end();
      else {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/mcp`;
  const { cli, config } = configured({ web: { url, protocol: 'legacy' } });
  const called = await cli.run(['call', 'mcp__web__hello', '{}', '--config', config]);
  expect(called).toMatchObject({ code: 0, stdout: 'hello over http\n' });
  const fetched = await cli.run([
    'call',
    'web_fetch',
    JSON.stringify({ url }),
    '--config',
    config,
    '--json',
  ]);
  expect(JSON.parse(fetched.stdout).error).toMatchObject({
    type: 'permission_denied',
    reason: 'address_refused',
  });
});

test('lines of a session wait for the servers until each is ready or has failed, and no longer', async () => {
  const { cli, config } = configured({
    silent: {
      command: process.execPath,
      args: ['-e', 'process.stdin.resume()'],
      connectTimeoutMs: 400,
    },
  });
  const lines = ['mcp__own__env', 'mcp__silent__any'].map((name, id) =>
    JSON.stringify({ id, name, arguments: {} }),
  );
  const input = `${lines.join('\n')}\nno call\n`;
  const { code, stdout } = await cli.run(['call', '--jsonl', '--config', config], input);
  const answers = new Map(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map((answer) => [answer.id, answer]),
  );
  expect([code, answers.size]).toEqual([0, 3]);
  expect(answers.get(0)).toMatchObject({ output: 'undefined', exit_code: 0, error: null });
  expect(answers.get(1)).toMatchObject({ exit_code: 1, error: { type: 'unknown_tool' } });
  expect(answers.get(null)).toMatchObject({ exit_code: 1, error: { type: 'invalid_argument' } });
});

test('a call of our own tools starts no server', async () => {
  const { cli, own, config } = configured({});
  const mark = join(cli.base, 'started');
  const code = `require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`;
  const servers = { own, marking: { command: process.execPath, args: ['-e', code] } };
  writeFileSync(config, JSON.stringify({ mcpServers: servers }));
  const argv = ['call', 'read', '{"file_path":"notes.txt"}', '--config', config, '--json'];
  const read = await cli.run(argv);
  expect(JSON.parse(read.stdout).output).toContain('hello');
  expect(existsSync(mark)).toBe(false);
  await cli.run(['call', 'mcp__own__env', '{}', '--config', config]);
  expect(existsSync(mark)).toBe(true);
});
