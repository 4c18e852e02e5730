import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { commandLine } from './session.ts';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** How a process runs the command from our sources. */
const command: readonly string[] = [
  '--conditions=@toolwright/source',
  '--import',
  path('../../mcp/test/conformance/register-types.mjs'),
  path('../src/main.ts'),
];

const inspector = path(
  '../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);

function environment(cli: ReturnType<typeof commandLine>): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: cli.base, ...cli.env };
}

test('the SDK’s first version starts the command, calls it and ends it', async () => {
  const cli = commandLine({ 'a.txt': 'one\n' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...command, 'mcp', '--workspace', cli.workspace],
    env: environment(cli),
    stderr: 'pipe',
  });
  const client = new Client({ name: 'v1', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  expect(client.getServerVersion()).toMatchObject({ name: 'toolwright', title: 'Toolwright' });
  const { content } = await client.callTool({ name: 'read', arguments: { file_path: 'a.txt' } });
  expect(content).toEqual([{ type: 'text', text: '     1\tone\n' }]);
});

/** The command as a process of its own, spoken to in lines. */
async function start(cli: ReturnType<typeof commandLine>, args: readonly string[] = []) {
  const child = spawn(
    process.execPath,
    [...command, 'mcp', '--workspace', cli.workspace, ...args],
    { env: environment(cli), stdio: ['pipe', 'pipe', 'pipe'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const send = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const messages = () =>
    stdout
      .split('\n')
      .filter((line) => line !== '')
      // A line that is no JSON throws, and fails the test.
      .map((line) => JSON.parse(line) as { id?: unknown; jsonrpc: string });
  send({
    id: 'init',
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'lines', version: '1' },
    },
  });
  send({ method: 'notifications/initialized' });
  const answered = (wanted: unknown) =>
    vi.waitFor(() => expect(messages().some(({ id }) => id === wanted)).toBe(true), {
      timeout: 40_000,
      interval: 20,
    });
  await answered('init');
  return { child, send, messages, answered, stderr: () => stderr };
}

test('MCP-017: stdout carries the protocol alone; what tools print goes to stderr', async () => {
  const cli = commandLine();
  const { child, send, messages, answered, stderr } = await start(cli, [
    '--provider',
    path('examples/noisy-provider.mjs'),
    '--yes',
  ]);
  send({ id: 1, method: 'tools/call', params: { name: 'noisy' } });
  send({ id: 2, method: 'tools/list' });
  await answered(1);
  await answered(2);
  child.stdin.end();
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  expect(messages().map(({ jsonrpc }) => jsonrpc)).toEqual(['2.0', '2.0', '2.0']);
  for (const said of ['said by console.log', 'said by console.info', 'said by stdout.write']) {
    expect(stderr()).toContain(said);
  }
});

/** Whether a process with this command line runs. */
const runs = (commandLine: string): boolean =>
  execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }).split('\n').includes(commandLine);

test.each(['end of input', 'SIGTERM', 'a reader that is gone'] as const)(
  'goes by %s, and what it started goes with it',
  async (how) => {
    const cli = commandLine();
    const { child, send } = await start(cli, ['--yes']);
    // A number that no other process of this machine sleeps for.
    const sleep = `sleep 300.${process.pid}${child.pid}`;
    send({
      id: 1,
      method: 'tools/call',
      params: { name: 'bash', arguments: { command: `${sleep}; true` } },
    });
    await vi.waitFor(() => expect(runs(sleep)).toBe(true), { timeout: 40_000, interval: 50 });
    if (how === 'end of input') child.stdin.end();
    else if (how === 'a reader that is gone') {
      child.stdout.destroy();
      send({ id: 2, method: 'ping' });
    } else child.kill(how);
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    await vi.waitFor(() => expect(runs(sleep)).toBe(false), { timeout: 10_000 });
  },
);

/** Runs the MCP Inspector's command line against a target. */
async function inspect(cli: ReturnType<typeof commandLine>, args: readonly string[]) {
  const child = spawn(
    process.execPath,
    [inspector, '--cli', ...args, '--connect-timeout', '60000'],
    {
      env: environment(cli),
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

test('the MCP Inspector finds nothing to complain of', async () => {
  const cli = commandLine({ 'a.txt': 'one\n' });
  const target = [process.execPath, ...command, 'mcp', '--workspace', cli.workspace, '--'];
  const strict = await inspect(cli, [
    ...target,
    '--method',
    'tools/list',
    '--strict',
    '--format',
    'json',
  ]);
  expect({
    code: strict.code,
    stderr: strict.stderr.replaceAll(/^.*EBADENGINE.*$/gm, '').trim(),
  }).toEqual({ code: 0, stderr: '' });
});

test('over HTTP the Inspector calls in the newer protocol; a token in the environment is asked for', async () => {
  const cli = commandLine({ 'a.txt': 'one\n' });
  const token = '0123456789abcdef';
  const { child, url } = await startHttp(cli, { TOOLWRIGHT_MCP_TOKEN: token });
  expect((await fetch(url, { method: 'POST' })).status).toBe(401);
  const read = await inspect(cli, [
    '--server-url',
    url,
    '--transport',
    'http',
    '--protocol-era',
    'modern',
    '--header',
    `Authorization: Bearer ${token}`,
    '--method',
    'tools/call',
    '--tool-name',
    'read',
    '--tool-args-json',
    '{"file_path":"a.txt"}',
    '--format',
    'json',
    '-q',
  ]);
  expect(read).toMatchObject({ code: 0, stdout: expect.stringContaining('     1\\tone\\n') });
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

async function startHttp(cli: ReturnType<typeof commandLine>, env: Record<string, string> = {}) {
  const child = spawn(
    process.execPath,
    [...command, 'mcp', '--workspace', cli.workspace, '--http', '0'],
    { env: { ...environment(cli), ...env }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: child.stderr }), 'line');
  return { child, url: /http:\/\/\S+/.exec(String(line))?.[0] ?? '' };
}
