import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createHost, defineProvider, defineTool, memoryWorkspace } from '@toolwright/core';
import { serveHttp } from '@toolwright/mcp/server';

const greet = defineTool({
  name: 'greet',
  description: 'Greets somebody by name.',
  input: {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
    additionalProperties: false,
  },
  capabilities: { readOnly: true, idempotent: true },
  effects: () => [],
  run: async ({ name }) => ({ output: `Hello, ${name}!` }),
});

const host = createHost({
  providers: [defineProvider({ name: 'greeter', version: '1.0.0', tools: [greet] })],
});
// Each client gets a session of its own, and what policy asks is put before that client's user.
const serving = await serveHttp(({ approver, asker }) =>
  host.open({ workspace: memoryWorkspace(), approver, asker }),
);

const client = new Client({ name: 'example', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(serving.url)));
const { content } = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
assert.deepEqual(content, [{ type: 'text', text: 'Hello, Ada!' }]);
await client.close();
await serving.close();
