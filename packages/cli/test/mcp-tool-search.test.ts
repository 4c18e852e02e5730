import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, memoryWorkspace } from '@toolwright/core';
import { mcpServers } from '@toolwright/mcp';
import { toolSearch } from '@toolwright/tool-search';
import { expect, onTestFinished, test } from 'vitest';

/** A server whose tool for lighthouses becomes one for orchards when it is called. */
const script = `
let name = 'light_lighthouse';
const describe = () => ({ name, description: name.replace('_', ' '), inputSchema: { type: 'object' } });
let rest = '';
process.stdin.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (method === 'tools/call') name = 'prune_orchard';
    const results = {
      initialize: { protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true } }, serverInfo: { name: 's', version: '1' } },
      'tools/list': { tools: [describe()] },
      'tools/call': { content: [{ type: 'text', text: 'done' }] },
    };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }));
    if (method === 'tools/call') console.log(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }));
  }
});
`;

test('tool_search finds what an MCP server has now, and no longer what it had', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'server.cjs');
  writeFileSync(path, script);
  const servers = mcpServers({
    town: { command: process.execPath, args: [path], trust: 'trusted', defer: true },
  });
  const host = createHost({ providers: [toolSearch(), servers] });
  const session = await host.open({ workspace: memoryWorkspace() });
  onTestFinished(() => session.close());
  await session.ready();
  const found = async (query: string): Promise<unknown> => {
    const { output } = await session.tool('tool_search', { query });
    return JSON.parse(output).matches;
  };
  expect(await found('lighthouse')).toEqual(['mcp__town__light_lighthouse']);
  expect(await found('orchard')).toEqual([]);
  const { error } = await session.tool('mcp__town__light_lighthouse', {});
  expect(error).toBeNull();
  await expect
    .poll(() => found('orchard'), { timeout: 20_000 })
    .toEqual(['mcp__town__prune_orchard']);
  expect(await found('lighthouse')).toEqual([]);
});
