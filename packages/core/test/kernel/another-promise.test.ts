import { afterEach, expect, test } from 'vitest';
import {
  createHost,
  createBudget,
  defineProvider,
  defineTool,
  memoryWorkspace,
} from '../../src/index.ts';

const platform = globalThis.Promise;

afterEach(() => {
  globalThis.Promise = platform;
});

test('calls run where an application has put another Promise in place of the one of the platform', async () => {
  // As libraries of promises and of zones do it: what async functions return is no instance of it.
  globalThis.Promise = class Other<T> extends platform<T> {};
  expect((async () => {})()).not.toBeInstanceOf(Promise);
  const tool = defineTool({
    name: 'touch',
    description: 'Writes a file.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    requires: ['files.write'],
    effects: async () => [{ kind: 'write', target: 'a.txt' }],
    run: async (_input, ctx) => {
      const transaction = await ctx.workspace.writer.begin();
      const content = new TextEncoder().encode('a');
      await transaction.stage({ kind: 'write', path: 'a.txt', content, expected: { kind: 'any' } });
      await transaction.promoteAll();
      return { output: 'line\n'.repeat(100_000), metadata: { large: 'x'.repeat(100_000) } };
    },
  });
  const session = await createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [tool] })],
    hooks: [{ beforeTool: async () => ({ action: 'continue' }), afterTool: async () => {} }],
    budget: createBudget({ calls: 10 }),
  }).open({ workspace: memoryWorkspace(), approver: async () => ({ decision: 'approve' }) });
  const results = await Promise.all([session.tool('touch'), session.invoke({ name: 'touch' })]);
  for (const { error, metadata } of results) {
    expect(error).toBeNull();
    expect(metadata).toMatchObject({ changed_paths: ['a.txt'], metadata_omitted: {} });
  }
  await session.close();
});
