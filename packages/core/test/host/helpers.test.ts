import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type ConnectContext,
  type HelperSession,
} from '../../src/index.ts';

const echo = (name: string) =>
  defineTool({
    name,
    description: 'Says its own name.',
    input: { type: 'object', properties: {}, additionalProperties: false, examples: [{}] },
    capabilities: () => ({ readOnly: true }),
    effects: () => [],
    run: async () => ({ output: name }),
  });

const other = defineProvider({ name: 'other', version: '1.0.0', tools: [echo('other_tool')] });

test('a helper calls the tools of its own provider and no others', async () => {
  const own = defineProvider({
    name: 'own',
    version: '1.0.0',
    tools: [echo('own_tool')],
    helpers: (session) => ({
      call: async (name: string) => session.tool(name),
    }),
  });
  const session = await createHost({ providers: [own, other] }).open({
    workspace: memoryWorkspace(),
  });
  expect((await session.call('own_tool')).output).toBe('own_tool');
  await expect(session.call('other_tool')).rejects.toThrow(
    'A helper of provider own can call the tools of its own provider; other_tool is of other.',
  );
  expect((await session.call('no_tool')).error?.type).toBe('unknown_tool');
  await session.close();
});

test('a session that a helper keeps is of no use once the helper has settled, nor at opening', async () => {
  const kept: HelperSession[] = [];
  const own = defineProvider({
    name: 'own',
    version: '1.0.0',
    tools: [echo('own_tool')],
    helpers: (session) => {
      kept.push(session);
      return {
        soon: async () => session.tool('own_tool'),
        at: () => 'once',
        fails: () => {
          throw new RangeError('no');
        },
      };
    },
  });
  const session = await createHost({ providers: [own] }).open({ workspace: memoryWorkspace() });
  expect((await session.soon()).output).toBe('own_tool');
  expect(session.at()).toBe('once');
  expect(() => session.fails()).toThrow(RangeError);
  expect(kept).toHaveLength(4);
  for (const stale of kept) {
    await expect(stale.tool('own_tool')).rejects.toThrow('The helper of provider own has ended');
    expect(Object.keys(stale)).toEqual(['id', 'tool']);
  }
  await session.close();
});

test('connect is told of the workspace and gets no way into it', async () => {
  let context: ConnectContext | undefined;
  const live = defineProvider({
    name: 'live',
    version: '1.0.0',
    tools: [],
    connect: (given) => {
      context = given;
      return {
        tools: [],
        absent: [],
        subscribe: () => () => {},
        ready: Promise.resolve(),
        close: async () => {},
      };
    },
  });
  const session = await createHost({ providers: [live] }).open({
    workspace: memoryWorkspace(),
    services: { models: { complete: () => Promise.reject(new Error('unused')) } },
  });
  expect(context?.workspace).toEqual({
    name: 'memory',
    capabilities: ['files.read', 'files.write', 'files.walk'],
  });
  expect(context?.services).toEqual({});
  await session.close();
});
