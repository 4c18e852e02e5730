import assert from 'node:assert/strict';
import { createHost, memoryWorkspace } from '@toolwright/core';
import { mcpServers } from '@toolwright/mcp';

const mcp = mcpServers({
  everything: { command: 'node_modules/.bin/mcp-server-everything', args: ['stdio'] },
  broken: { command: 'no-such-program' },
});
const host = createHost({ providers: [mcp] });
const session = await host.open({ workspace: memoryWorkspace() });
await session.ready();

const sum = await session.tool('mcp__everything__get-sum', { a: 1, b: 2 });
assert.equal(sum.output, 'The sum of 1 and 2 is 3.');
const broken = session.surface().find(({ name }) => name === 'mcp__broken');
assert.match(broken?.reason ?? '', /^server broken failed: .*ENOENT/);
await session.close();
