import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryArtifactStore,
  memoryWorkspace,
  type ArtifactStore,
  type ProviderConnection,
  type SessionResource,
  type Tool,
} from '../../src/index.ts';
import { Invocation } from '../../src/kernel/invocation.ts';
import { memoryState } from '../../src/testing/index.ts';

const empty = { type: 'object', properties: {}, additionalProperties: false } as const;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Whether work settles within some virtual minutes. */
async function settles(work: Promise<unknown>): Promise<boolean> {
  const state = { settled: false };
  const settle = (): void => {
    state.settled = true;
  };
  work.then(settle, settle);
  for (let second = 0; second < 200 && !state.settled; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
  }
  return state.settled;
}

const tool = (name: string, run: Tool['run']): Tool =>
  defineTool({
    name,
    description: 'Does what a test wants.',
    input: empty,
    effects: () => [],
    run,
  });

const never = (): Promise<never> => new Promise(() => {});

const fail = (): never => {
  throw new Error('cannot close');
};

const ways: readonly (readonly [string, () => Promise<never>])[] = [
  ['throws', fail],
  ['rejects', () => Promise.reject(new Error('cannot close'))],
  ['hangs', never],
];

test.each(ways)('a session closes although every part of it %s', async (_name, broken) => {
  const closed: string[] = [];
  const keys = ['first', 'second', 'third'].map((name): SessionResource<string> => ({
    create: () => name,
    close: (value) => {
      closed.push(value);
      return broken();
    },
  }));
  const take = tool('take', async (_input, context) => {
    for (const key of keys) context.resource(key);
    await context.artifacts.writer();
    return { output: 'x'.repeat(200_000) };
  });
  const connection = (name: string): ProviderConnection => ({
    tools: [],
    absent: [],
    subscribe: () => () => {},
    ready: Promise.resolve(),
    close: () => {
      closed.push(name);
      return broken();
    },
  });
  const live = (name: string) =>
    defineProvider({ name, version: '1.0.0', tools: [], connect: () => connection(name) });
  const store = memoryArtifactStore();
  const memory = memoryWorkspace();
  const session = await createHost({
    providers: [
      defineProvider({ name: 'family', version: '1.0.0', tools: [take] }),
      live('one'),
      live('two'),
    ],
  }).open({
    workspace: {
      ...memory,
      close: () => {
        closed.push('workspace');
        return broken();
      },
    },
    artifacts: { ...store, release: broken },
    state: { ...memoryState(), write: broken, list: broken },
  });
  expect((await session.tool('take')).error).toBeNull();
  expect(await settles(session.close())).toBe(true);
  expect(closed).toEqual(['third', 'second', 'first', 'workspace', 'one', 'two']);
  expect(vi.getTimerCount()).toBe(0);
});

test('an artifact that a slow store keeps after the session has closed is held by nobody', async () => {
  const store = memoryArtifactStore();
  let letGo = (): void => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const released: string[] = [];
  const slow: ArtifactStore = {
    ...store,
    put: async (content, options) => {
      await gate;
      return store.put(content, options);
    },
    release: async (holder) => {
      released.push(holder);
      await store.release(holder);
    },
  };
  const large = tool('large', async () => ({ output: new Uint8Array(200_000).fill(120) }));
  const session = await createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [large] })],
  }).open({ workspace: memoryWorkspace(), artifacts: slow, id: 's' });
  const call = session.tool('large', {}, { id: 'c1' });
  expect(await settles(call)).toBe(true);
  expect((await call).metadata['artifact']).toEqual({
    not_retained: true,
    reason: 'store_failed',
  });
  expect(await settles(session.close())).toBe(true);
  expect(released).toEqual(['s/c1']);
  letGo();
  await vi.advanceTimersByTimeAsync(10);
  expect(released).toEqual(['s/c1', 's/c1']);
  // Nothing is pinned: the store has room for as much as it ever had.
  const { length } = await store.list();
  expect(length).toBe(1);
  const full = await store.put(new Uint8Array(16 * 1024 * 1024), { tool: 'other' });
  expect(full.retained).toBe(true);
});

test('a workspace that never resolves a path costs its call, typed, and no other', async () => {
  const memory = memoryWorkspace();
  const stuck = defineTool({
    name: 'stuck',
    description: 'Writes where nobody can say.',
    input: empty,
    effects: () => [{ kind: 'write', target: 'a.txt' }],
    run: async () => ({ output: 'ran' }),
  });
  const session = await createHost({
    providers: [
      defineProvider({
        name: 'family',
        version: '1.0.0',
        tools: [stuck, tool('good', async () => ({ output: 'ok' }))],
      }),
    ],
  }).open({ workspace: { ...memory, resolvePath: never } });
  const controller = new AbortController();
  const cancelled = session.tool('stuck', {}, { signal: controller.signal });
  const slow = session.tool('stuck');
  expect((await session.tool('good')).output).toBe('ok');
  controller.abort();
  expect((await cancelled).error).toMatchObject({ type: 'cancelled', stage: 'describe' });
  expect(await settles(slow)).toBe(true);
  expect((await slow).error).toMatchObject({ type: 'timeout', reason: 'describe' });
  await session.close();
});

test.each([
  ['no list', () => ({ length: 1 })],
  ['an unknown kind', () => [{ kind: 'anything', target: '' }]],
  ['nothing', () => undefined],
  ['too many', () => Array.from({ length: 10_001 }, () => ({ kind: 'read', target: 'a.txt' }))],
])('a tool that tells %s as its effects does not run', async (_name, told) => {
  let ran = false;
  const odd = defineTool({
    name: 'odd',
    description: 'Says nonsense of itself.',
    input: empty,
    // No type allows this; a third party's code may be untyped.
    effects: () => told() as never,
    run: async () => {
      ran = true;
      return { output: '' };
    },
  });
  const session = await createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [odd] })],
  }).open({ workspace: memoryWorkspace() });
  const { error } = await session.tool('odd');
  expect(['internal', 'limit_exceeded']).toContain(error?.type);
  expect(error?.stage).toBe('describe');
  expect(ran).toBe(false);
  await session.close();
});

test('what is no signal cancels nothing and leaves no listener on those that are', () => {
  const { signal } = new AbortController();
  const make = () =>
    new Invocation({
      id: 'c1',
      name: 'x',
      parent: undefined,
      origin: 'agent',
      startedAt: 0,
      signals: [signal, { aborted: false } as AbortSignal],
    });
  expect(make).toThrow(TypeError);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a person who cannot be asked has not answered', async () => {
  const answers: unknown[] = [];
  const question = defineTool({
    name: 'question',
    description: 'Asks.',
    input: empty,
    effects: () => [{ kind: 'ask', target: 'person' }],
    run: async (_input, context) => {
      answers.push(await context.ask({ question: 'Really?', options: ['yes', 'no'] }));
      return { output: '' };
    },
  });
  const askers: readonly (() => unknown)[] = [
    () => Promise.reject(new Error('gone')),
    fail,
    () => Promise.resolve(42),
    () => Promise.resolve({ answered: true, answer: 7 }),
    () => Promise.resolve({ answered: true, answer: 'yes' }),
  ];
  for (const asker of askers) {
    const session = await createHost({
      providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [question] })],
    }).open({ workspace: memoryWorkspace(), asker: () => asker() as never });
    expect((await session.tool('question')).error).toBeNull();
    await session.close();
  }
  expect(answers).toEqual([
    { answered: false, reason: 'the question could not be put to the person' },
    { answered: false, reason: 'the question could not be put to the person' },
    { answered: false, reason: 'the answer could not be read' },
    { answered: false, reason: 'the answer could not be read' },
    { answered: true, answer: 'yes' },
  ]);
});
