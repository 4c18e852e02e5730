import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type ContentBlock,
  type JsonObject,
} from '../../src/index.ts';

test('metadata of a careless tool that is no object is kept under a name', async () => {
  const tool = defineTool({
    name: 'careless',
    description: 'Returns a list as metadata.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    effects: () => [],
    // What plain JavaScript may return.
    run: async () => ({ output: 'x', metadata: ['a', 1] as unknown as JsonObject }),
  });
  const session = await createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [tool] })],
  }).open({ workspace: memoryWorkspace() });
  const { metadata } = await session.invoke({ name: 'careless' });
  expect(metadata['previous_metadata']).toEqual(['a', 1]);
  expect(metadata).toHaveProperty('a3s_tool_result_evidence');
  await session.close();
});

test('content blocks that are none are left out, and that is said', async () => {
  const text = { type: 'text', text: 'kept' } as const;
  const tool = defineTool({
    name: 'careless',
    description: 'Returns all kinds of things as content.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    effects: () => [],
    // What plain JavaScript may return.
    run: async () => ({
      output: 'x',
      content: [null, 1, text, { text: 'no type' }] as unknown as readonly ContentBlock[],
    }),
  });
  const session = await createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [tool] })],
  }).open({ workspace: memoryWorkspace() });
  const { content, metadata } = await session.invoke({ name: 'careless' });
  expect(content).toEqual([text]);
  const left = [0, 1, 3].map((index) => ({ index, reason: 'no_block' }));
  expect(metadata['content_omitted']).toEqual(left);
  await session.close();
});

test.each([5, null, undefined, {}])(
  'a call of %o, as a wire may name it, is of no tool',
  async (name) => {
    const session = await createHost({ providers: [] }).open({ workspace: memoryWorkspace() });
    const { error } = await session.invoke({ name: name as string });
    expect(error).toMatchObject({ type: 'unknown_tool', stage: 'resolve' });
    await session.close();
  },
);
