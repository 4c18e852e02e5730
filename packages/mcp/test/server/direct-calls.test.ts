import { setImmediate as immediate } from 'node:timers/promises';
import { defineTool } from '@toolwright/core';
import { expect, test, vi } from 'vitest';
import type { McpClient } from '../../src/server/index.ts';
import { connectLines } from './stdio-client.ts';
import { echo, steps, waitingTool } from './test-tools.ts';

/** Long after the handshake: nothing that came before can still be under way. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await immediate();
}

test('a call that the client takes back ends and has no answer; its id is free again', async () => {
  const { hang, state } = waitingTool();
  const client = await connectLines({ tools: [echo, hang] });
  await client.initialize();
  await settled();
  client.send({ id: 1, method: 'tools/call', params: { name: 'hang' } });
  await vi.waitFor(() => expect(state.started).toBe(true));
  client.send({ method: 'notifications/cancelled', params: { requestId: 1 } });
  await vi.waitFor(() => expect(state.aborted).toBe(true));
  client.send({
    id: 1,
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: 'again' } },
  });
  const answer = await client.find(({ id }) => id === 1);
  expect(answer.result?.['content']).toEqual([{ type: 'text', text: 'again' }]);
  await settled();
  expect(client.messages.filter(({ id }) => id === 1)).toHaveLength(1);
});

test('what a client tells before a call counts for that call, also within one write', async () => {
  const where = (client: McpClient) =>
    defineTool({
      name: 'where',
      description: 'Says what the client shares.',
      input: { type: 'object', properties: {}, additionalProperties: false },
      capabilities: { readOnly: true },
      effects: () => [],
      run: async () => ({ output: (await client.roots())?.join() ?? 'nothing' }),
    });
  const client = await connectLines({ toolsFor: (peer) => [where(peer)] });
  await client.initialize({ roots: { listChanged: true } });
  await settled();
  const call = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'where' },
  });
  const share = async (count: number, uri: string): Promise<void> => {
    const requests = () => client.messages.filter(({ method }) => method === 'roots/list');
    await vi.waitFor(() => expect(requests()).toHaveLength(count));
    client.send({ id: requests().at(-1)?.id, result: { roots: [{ uri }] } });
  };
  client.send(call(1));
  await share(1, 'file:///one');
  const first = await client.find(({ id }) => id === 1);
  expect(first.result?.['content']).toEqual([{ type: 'text', text: 'file:///one' }]);
  await settled();
  const changed = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };
  client.input.write(`${JSON.stringify(changed)}\n${JSON.stringify(call(2))}\n`);
  await share(2, 'file:///two');
  const second = await client.find(({ id }) => id === 2);
  expect(second.result?.['content']).toEqual([{ type: 'text', text: 'file:///two' }]);
});

test('a call has its progress and its answer in order', async () => {
  const client = await connectLines({ tools: [steps] });
  await client.initialize();
  await settled();
  client.send({
    id: 1,
    method: 'tools/call',
    params: { name: 'steps', arguments: { count: 3 }, _meta: { progressToken: 'p' } },
  });
  await client.find(({ id }) => id === 1);
  const told = client.messages.slice(1).map((message) => message.method ?? message.id);
  expect(told).toEqual([
    'notifications/progress',
    'notifications/progress',
    'notifications/progress',
    1,
  ]);
});
