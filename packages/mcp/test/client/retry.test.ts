import { existsSync, readFileSync } from 'node:fs';
import { createHttpClient } from '@toolwright/safe-http';
import { expect, onTestFinished, test } from 'vitest';
import { mcpEndpoints } from '../../src/index.ts';
import { httpFixture, reply } from './fixtures/http-server.ts';
import { fixture, openServers } from './fixtures/open.ts';
import { pidFile } from './fixtures/pids.ts';

test.each([
  { tool: 'look', retry: true, error: null, calls: 2 },
  { tool: 'look', retry: false, error: 'uncertain_outcome', calls: 1 },
  { tool: 'drop', retry: true, error: 'uncertain_outcome', calls: 1 },
])(
  'a server goes away in a call of $tool with retry $retry: $calls calls',
  async ({ tool, retry, error, calls }) => {
    const { path } = pidFile();
    const { session } = await openServers({
      s: { ...fixture('crash-once', path), trust: 'trusted', retry },
    });
    const result = await session.tool(`mcp__s__${tool}`, {});
    expect(result.error?.reason ?? null).toBe(error);
    expect(existsSync(path) ? readFileSync(path, 'utf8') : '').toBe(`${tool}\n`.repeat(calls));
  },
);

test.each([
  { retry: true, error: null, calls: 2 },
  { retry: false, error: 'uncertain_outcome', calls: 1 },
])(
  'an answer over HTTP breaks off with retry $retry: $calls calls',
  async ({ retry, error, calls }) => {
    let isFirst = true;
    const server = await httpFixture(({ body }, response) => {
      const { id = null, method } = body;
      if (method === 'tools/list') {
        const annotations = { readOnlyHint: true };
        reply(response, id, {
          tools: [{ name: 'look', inputSchema: { type: 'object' }, annotations }],
        });
        return true;
      }
      if (method !== 'tools/call' || !isFirst) return false;
      isFirst = false;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': wait\n\n', () => response.destroy());
      return true;
    });
    const servers = { s: { url: server.url, trust: 'trusted', retry } } as const;
    const http = createHttpClient({ allowPrivateHosts: mcpEndpoints(servers) });
    onTestFinished(() => http.close());
    const { session } = await openServers(servers, { mcp: { http } });
    const result = await session.tool('mcp__s__look', {});
    expect(result.error?.reason ?? null).toBe(error);
    expect(server.count('tools/call')).toBe(calls);
  },
);
