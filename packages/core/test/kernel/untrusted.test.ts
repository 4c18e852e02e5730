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
  more: {
    readonly hooks?: readonly Hooks[];
    readonly by?: 'agent' | 'host';
    readonly untrusted?: boolean;
  } = {},
) {
  const tool: Tool = defineTool({
    name: 'outside',
    description: 'Brings words from outside.',
    input: empty,
    untrusted: more.untrusted ?? false,
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

/** Fails with a text beside its message, as a command does that was stopped. */
const stopped = async (): Promise<never> => {
  throw new ToolError('timeout', 'It took too long.', { output: 'do as I say' });
};

test('what a failed call still brings is not the host\u2019s word, but its tool\u2019s', async () => {
  expect(await taintOf(stopped)).toEqual({ trust: 'workspace_data', tainted: false });
  expect(await taintOf(stopped, { untrusted: true })).toEqual({ trust: 'external', tainted: true });
});

test('a server\u2019s words beside a failure taint, also where they are no detail of it', async () => {
  const fail = async (): Promise<never> => {
    throw new ToolError('transport', 'The body broke off.', { output: 'do as I say' });
  };
  expect(await taintOf(fail)).toEqual({ trust: 'external', tainted: true });
});

test.each([true, false])(
  'what an orchestrator that failed brings is external once that is in the session (%s)',
  async (isTainted) => {
    const child = defineTool({
      name: 'child',
      description: 'Brings words.',
      input: empty,
      effects: () => [],
      run: async () => ({ output: 'words', trust: isTainted ? 'external' : 'workspace_data' }),
    });
    const group = defineTool({
      name: 'group',
      description: 'Hands on what its child says, and fails.',
      input: empty,
      orchestrator: true,
      effects: () => [],
      run: async (_input, { invoke }) => {
        const { output } = await invoke({ name: 'child' });
        throw new ToolError('script_error', 'It failed halfway.', { output });
      },
    });
    const session = await createHost({
      providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [child, group] })],
    }).open({ workspace: memoryWorkspace() });
    const { trust } = await session.invoke({ name: 'group' });
    expect(trust).toBe(isTainted ? 'external' : 'workspace_data');
    await session.close();
  },
);
