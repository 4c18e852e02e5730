import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
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
