import { expect, test } from 'vitest';
import { createHost, defineProvider, defineTool, memoryWorkspace } from '@toolwright/core';
import { instructionsFor } from '../../src/server/instructions.ts';
import { connectLines } from './stdio-client.ts';

async function sessionWith(instructions: string) {
  const tool = defineTool({
    name: 'one',
    description: 'One tool: a family without any has nothing to say.',
    input: { type: 'object', properties: {}, additionalProperties: false } as const,
    run: async () => ({ output: '' }),
  });
  const provider = defineProvider({
    name: 'family',
    version: '1.0.0',
    tools: [tool],
    instructions,
  });
  return createHost({ providers: [provider] }).open({ workspace: memoryWorkspace() });
}

test('instructions are the words of the host, then those of the families', async () => {
  const session = await sessionWith('Theirs.');
  expect(instructionsFor(session, 'Ours.')).toBe('Ours.\n\nTheirs.');
  await session.close();
});

test.each([
  ['at the end of a sentence', 'A sentence of words. '.repeat(200)],
  ['at the end of a line', `${'x'.repeat(60)}\n`.repeat(60)],
  ['between characters', '😀'.repeat(2_000)],
])('instructions beyond 2,048 bytes are cut %s', async (_, text) => {
  const session = await sessionWith('');
  const cut = instructionsFor(session, text);
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(2_048);
  expect(Buffer.byteLength(cut)).toBeGreaterThan(1_024);
  expect(cut.endsWith(' …')).toBe(true);
  expect(text.startsWith(cut.slice(0, -2))).toBe(true);
  await session.close();
});

test('they are told in the handshake', async () => {
  const client = await connectLines({ tools: [], instructions: 'Use it well.' });
  expect((await client.initialize()).result).toMatchObject({ instructions: 'Use it well.' });
});
