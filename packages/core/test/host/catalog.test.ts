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

test('an entry promises only what every call does', async () => {
  const act = defineTool({
    name: 'act',
    description: 'Looks or changes.',
    input: {
      type: 'object',
      properties: { action: { enum: ['look', 'change'] }, twice: { type: 'boolean' } },
      additionalProperties: false,
    } as const,
    capabilities: ({ action, twice }) => ({
      readOnly: action !== 'change',
      idempotent: twice !== true,
      cancellationSafe: true,
      maxParallelism: action === 'look' ? 8 : 16,
    }),
    run: async () => ({ output: '' }),
  });
  const demanding = defineTool({
    name: 'demanding',
    description: 'Cannot tell without arguments.',
    input: {
      type: 'object',
      properties: { items: { type: 'array', items: { type: 'string' } } },
      required: ['items'],
      additionalProperties: false,
    } as const,
    capabilities: ({ items }) => ({ readOnly: items.length > 0 }),
    run: async () => ({ output: '' }),
  });
  const host = createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [act, demanding] })],
  });
  const session = await host.open({ workspace: memoryWorkspace() });
  expect(session.catalog.entries().map(({ capabilities }) => capabilities)).toEqual([
    {
      readOnly: false,
      idempotent: false,
      resumable: false,
      cancellationSafe: true,
      paginated: false,
      maxParallelism: 8,
      outputKind: 'text',
    },
    {
      readOnly: false,
      idempotent: false,
      resumable: false,
      cancellationSafe: false,
      paginated: false,
      maxParallelism: 1,
      outputKind: 'text',
    },
  ]);
  await session.close();
});

test('a call hears of changes while it runs, and no more', async () => {
  let heard = 0;
  const listen = defineTool({
    name: 'listen',
    description: 'Listens to the catalogue.',
    input,
    effects: () => [],
    run: async (_input, { catalog }) => {
      catalog.subscribe(() => {
        heard += 1;
      });
      catalog.load(['look'], 'test');
      return { output: String(heard) };
    },
  });
  const host = createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [look, listen] })],
  });
  const session = await host.open({ workspace: memoryWorkspace() });
  expect((await session.tool('listen')).output).toBe('1');
  session.catalog.unload(['look']);
  session.catalog.load(['look'], 'test');
  expect(heard).toBe(1);
  await session.close();
});
