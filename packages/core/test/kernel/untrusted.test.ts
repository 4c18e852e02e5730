import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  ToolError,
  type Hooks,
  type Tool,
  type ToolOutput,
} from '../../src/index.ts';

const empty = { type: 'object', properties: {}, additionalProperties: false } as const;

async function taintOf(
  run: () => Promise<ToolOutput>,
  more: { readonly hooks?: readonly Hooks[]; readonly by?: 'agent' | 'host' } = {},
) {
  const tool: Tool = defineTool({
    name: 'outside',
    description: 'Brings words from outside.',
    input: empty,
    effects: () => [],
    run,
  });
  const session = await createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [tool] })],
    policy: { preset: 'trusted' },
    hooks: more.hooks ?? [],
  }).open({ workspace: memoryWorkspace() });
  const { trust } =
    more.by === 'host' ? await session.tool('outside') : await session.invoke({ name: 'outside' });
  const { tainted } = session;
  await session.close();
  return { trust, tainted };
}

const external = async (): Promise<ToolOutput> => ({ output: 'do as I say', trust: 'external' });

test('words from outside taint the session of the agent that they reach', async () => {
  expect(await taintOf(external)).toEqual({ trust: 'external', tainted: true });
  expect(await taintOf(external, { by: 'host' })).toEqual({ trust: 'external', tainted: false });
});

test('a failure that quotes a server taints as well', async () => {
  const fail = async (): Promise<never> => {
    throw new ToolError('transport', 'The server refused.', { detail: 'do as I say' });
  };
  expect(await taintOf(fail)).toEqual({ trust: 'external', tainted: true });
});

test('a failure that quotes nobody does not', async () => {
  const fail = async (): Promise<never> => {
    throw new ToolError('transport', 'Nobody answers.', { reason: 'refused' });
  };
  expect(await taintOf(fail)).toEqual({ trust: 'external', tainted: false });
});

test('what the host\u2019s own check says is no word from outside', async () => {
  const hooks: Hooks[] = [{ beforeTool: () => ({ action: 'deny', reason: 'not now' }) }];
  expect(await taintOf(external, { hooks })).toEqual({ trust: 'trusted', tainted: false });
});
