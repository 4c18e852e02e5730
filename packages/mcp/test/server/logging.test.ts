import { defineTool } from '@toolwright/core';
import { expect, test } from 'vitest';
import type { McpClient } from '../../src/server/index.ts';
import { connectLines, modernMeta } from './stdio-client.ts';

const talker = (client: McpClient) =>
  defineTool({
    name: 'talk',
    description: 'Logs at each level.',
    input: { type: 'object', properties: {}, additionalProperties: false } as const,
    effects: () => [],
    run: async (_input, { invocation }) => {
      for (const level of ['debug', 'info', 'warning', 'error'] as const) {
        await client.log(invocation.id, level, `at ${level}`);
      }
      return { output: '' };
    },
  });

const connect = () => connectLines({ toolsFor: (client) => [talker(client)] });

/** The levels that the client was told of. */
const told = (client: Awaited<ReturnType<typeof connect>>): readonly unknown[] =>
  client.messages
    .filter(({ method }) => method === 'notifications/message')
    // A log message, as the method says.
    .map(({ params }) => (params as { readonly level: string }).level);

test('an older client is told of warnings and worse, until it sets another level', async () => {
  const client = await connect();
  await client.initialize();
  await client.request('tools/call', { name: 'talk' });
  expect(told(client)).toEqual(['warning', 'error']);
  await client.request('logging/setLevel', { level: 'info' });
  await client.request('tools/call', { name: 'talk' });
  expect(told(client).slice(2)).toEqual(['info', 'warning', 'error']);
});

test('a newer client is told of nothing, unless the request asks for a level', async () => {
  const client = await connect();
  await client.request('tools/call', { name: 'talk', _meta: modernMeta() });
  expect(told(client)).toEqual([]);
  const level = { 'io.modelcontextprotocol/logLevel': 'error' };
  await client.request('tools/call', { name: 'talk', _meta: modernMeta({}, level) });
  expect(told(client)).toEqual(['error']);
});
