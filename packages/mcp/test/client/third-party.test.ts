import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHttpClient } from '@toolwright/safe-http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { mcpEndpoints, type McpServerConfig } from '../../src/index.ts';
import { openServers, until, type OpenServersOptions } from './fixtures/open.ts';

const modules = join(dirname(fileURLToPath(import.meta.url)), '../../node_modules');
const everything = join(modules, '@modelcontextprotocol/server-everything/dist/index.js');
const filesystem = join(modules, '@modelcontextprotocol/server-filesystem/dist/index.js');
const modernFilesystem = join(modules, 'mcp-filesystem-modern/dist/index.js');

const node = (...args: string[]): McpServerConfig => ({ command: process.execPath, args });

/** The thirteen tools that the server has for a client without capabilities. */
const thirteen = [
  'echo',
  'get-annotated-message',
  'get-env',
  'get-resource-links',
  'get-resource-reference',
  'get-structured-content',
  'get-sum',
  'get-tiny-image',
  'gzip-file-as-resource',
  'simulate-research-query',
  'toggle-simulated-logging',
  'toggle-subscriber-updates',
  'trigger-long-running-operation',
];

/** Starts server-everything over HTTP and waits until it listens. */
async function startEverything(mode: 'streamableHttp' | 'sse'): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, [everything, mode], {
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await until(() => said.includes(String(port)));
  return `http://127.0.0.1:${port}/${mode === 'sse' ? 'sse' : 'mcp'}`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

function overHttp(servers: Readonly<Record<string, McpServerConfig>>): OpenServersOptions {
  const http = createHttpClient({ allowPrivateHosts: mcpEndpoints(servers) });
  onTestFinished(() => http.close());
  return { mcp: { elicitation: false, http } };
}

describe('server-everything', () => {
  test.each([
    { transport: 'stdio', start: async () => node(everything, 'stdio') },
    { transport: 'http', start: async () => ({ url: await startEverything('streamableHttp') }) },
    { transport: 'sse', start: async () => ({ url: await startEverything('sse') }) },
  ])('over $transport', async ({ transport, start }) => {
    const servers = { everything: await start() };
    const { session, mcp } = await openServers(servers, overHttp(servers));
    const run = (tool: string, args = {}) => session.tool(`mcp__everything__${tool}`, args);
    expect(session.surface().map(({ name }) => name.replace('mcp__everything__', ''))).toEqual(
      thirteen,
    );
    expect(mcp.status(session.id)[0]).toMatchObject({
      state: 'ready',
      transport,
      era: 'legacy',
      protocolVersion: '2025-11-25',
      dropped: [
        {
          name: 'mcp__everything__simulate-research-query',
          reason: 'server everything runs it only as a task, which is not supported',
        },
      ],
    });
    expect(mcp.status(session.id)[0]?.instructions).toHaveLength(1_575);
    expect((await run('echo', { message: 'hi' })).output).toBe('Echo: hi');
    expect((await run('get-sum', { a: 1, b: 2 })).output).toBe('The sum of 1 and 2 is 3.');
    expect((await run('echo')).error?.type).toBe('invalid_argument');
    const structured = await run('get-structured-content', { location: 'Chicago' });
    expect(structured.structured).toEqual(JSON.parse(structured.output));
    const image = await run('get-tiny-image');
    expect(image.content).toEqual([
      { type: 'image', mimeType: 'image/png', data: expect.stringMatching(/^iVBOR/) },
    ]);
    expect(image.output).toContain('[image image/png, 4033 bytes]');
    const ticks: unknown[] = [];
    const events = session.events();
    void (async () => {
      for await (const event of events) {
        if (event.type === 'tool_progress') ticks.push([event.current, event.total]);
      }
    })();
    const long = await run('trigger-long-running-operation', { duration: 0.2, steps: 4 });
    expect(long.output).toContain('Long running operation completed');
    await until(() => ticks.length === 4);
    expect(ticks).toEqual([
      [1, 4],
      [2, 4],
      [3, 4],
      [4, 4],
    ]);
  });

  test('offers more to a client that can do more; its notices lead to one list', async () => {
    const { session } = await openServers(
      { everything: { ...node(everything, 'stdio'), roots: ['/srv'] } },
      {
        mcp: {
          sampling: async () => ({
            model: 'm',
            role: 'assistant',
            content: { type: 'text', text: 'x' },
          }),
        },
      },
    );
    await until(() => session.surface().length === 17);
    const names = session.surface().map(({ name }) => name.replace('mcp__everything__', ''));
    expect(names).toEqual(expect.arrayContaining(thirteen));
    const declined = await session.tool('mcp__everything__trigger-elicitation-request');
    expect(declined.output).toContain('declined');
  });

  test('its resources and prompts are read by tools of the host', async () => {
    const { session } = await openServers(
      { everything: { ...node(everything, 'stdio'), trust: 'annotations' } },
      { mcp: { resources: true } },
    );
    const listed = await session.invoke({ name: 'mcp_list_resources' });
    const lines = listed.output.split('\n');
    const count = (kind: string) =>
      lines.filter((line) => line.startsWith(`everything: ${kind} `)).length;
    expect([count('resource'), count('template'), count('prompt')]).toEqual([7, 2, 4]);
    const prompt = await session.tool('mcp_get_prompt', {
      server: 'everything',
      name: 'simple-prompt',
    });
    expect(prompt.output).toBe('user: This is a simple prompt without arguments.');
    const uri = /resource (demo:\/\/\S+features\.md)/.exec(listed.output)?.[1] ?? '';
    const read = await session.tool('mcp_read_resource', { server: 'everything', uri });
    expect(read.output.startsWith(`[resource ${uri}]\n#`)).toBe(true);
    expect(read.trust).toBe('external');
    const unknown = await session.tool('mcp_read_resource', {
      server: 'everything',
      uri: 'demo://no',
    });
    expect([unknown.error?.type, unknown.error?.reason]).toEqual(['transport', 'protocol']);
    const nobody = await session.tool('mcp_read_resource', { server: 'nobody', uri });
    expect(nobody.error?.type).toBe('not_found');
  });
});

describe('server-filesystem', () => {
  test.each([
    { script: filesystem, protocol: 'legacy', era: 'legacy' },
    { script: modernFilesystem, protocol: 'auto', era: 'modern' },
    { script: modernFilesystem, protocol: '2026-07-28', era: 'modern' },
  ] as const)('speaks the $era protocol when it is to speak $protocol', async (given) => {
    const { script, protocol, era } = given;
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'tw-mcp-fs-')));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    writeFileSync(join(root, 'a.txt'), 'contents\n');
    const { session, mcp } = await openServers({ fs: { ...node(script, root), protocol } });
    expect(session.toolNames()).toHaveLength(14);
    expect(mcp.status(session.id)[0]).toMatchObject({ era, state: 'ready' });
    const read = await session.tool('mcp__fs__read_text_file', { path: join(root, 'a.txt') });
    expect([read.output, read.structured, read.exit_code]).toEqual([
      'contents\n',
      { content: 'contents\n' },
      0,
    ]);
    const outside = await session.tool('mcp__fs__read_text_file', { path: '/etc/hostname' });
    expect(outside.exit_code).toBe(1);
    expect(outside.error).toBeNull();
    expect(outside.output).toContain('Access denied');
  });
});
