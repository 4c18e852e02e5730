import { expect, test } from 'vitest';
import { createHost, defineProvider, defineTool, memoryWorkspace } from '../../src/index.ts';

const input = { type: 'object', properties: {}, additionalProperties: false } as const;

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input,
  requires: ['files.read'],
  uses: ['http', 'files.walk'],
  visibility: 'deferred',
  run: async () => ({ output: '' }),
});

test('tells listeners of every change, and an entry what its tool works with', async () => {
  const host = createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [look] })],
  });
  const session = await host.open({ workspace: memoryWorkspace() });
  const { catalog } = session;
  expect(catalog.entries().map(({ needs }) => needs)).toEqual([
    ['files.read', 'http', 'files.walk'],
  ]);
  const before = catalog.version;
  const heard: number[] = [];
  catalog.subscribe(() => {
    throw new Error('a listener of somebody else');
  });
  const stop = catalog.subscribe(() => heard.push(catalog.version - before));
  catalog.load(['look'], 'test');
  catalog.load(['look'], 'test');
  catalog.unload(['look']);
  stop();
  catalog.load(['look'], 'test');
  expect(heard).toEqual([1, 2]);
  await session.close();
});
