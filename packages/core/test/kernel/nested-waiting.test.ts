import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type ApprovalAnswer,
  type ToolResult,
} from '../../src/index.ts';

const empty = { type: 'object', properties: {}, additionalProperties: false } as const;

/** A session with `parent`, which calls `child` and tells in `told` what happened in which order. */
async function open(answer: () => Promise<ApprovalAnswer>) {
  const told: string[] = [];
  let inner: ToolResult | undefined;
  const child = defineTool({
    name: 'child',
    description: 'Does something that nobody can know before.',
    input: empty,
    run: async () => {
      told.push('child runs');
      return { output: 'done' };
    },
  });
  const parent = defineTool({
    name: 'parent',
    description: 'Calls child.',
    input: empty,
    orchestrator: true,
    timeoutMs: 30,
    effects: () => [],
    run: async (_input, context) => {
      inner = await context.invoke(
        { name: 'child' },
        { beforeRun: () => void told.push('before run') },
      );
      return { output: inner.output };
    },
  });
  const host = createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [parent, child] })],
  });
  const session = await host.open({
    workspace: memoryWorkspace(),
    approver: () => {
      told.push('asked');
      return answer();
    },
  });
  return { session, told, inner: () => inner };
}

test('beforeRun comes after approval and before run', async () => {
  const { session, told } = await open(async () => ({ decision: 'approve' }));
  const result = await session.tool('parent');
  expect(result).toMatchObject({ output: 'done', exit_code: 0 });
  expect(told).toEqual(['asked', 'before run', 'child runs']);
  await session.close();
});

test('beforeRun does not come for a call that is refused', async () => {
  const { session, told, inner } = await open(async () => ({ decision: 'reject' }));
  await session.tool('parent');
  expect(inner()?.error?.type).toBe('confirmation_rejected');
  expect(told).toEqual(['asked']);
  await session.close();
});

test('the time that a child waits for a person does not count for its parent', async () => {
  const { session } = await open(async () => {
    await wait(50);
    return { decision: 'approve' };
  });
  expect(await session.tool('parent')).toMatchObject({ output: 'done', error: null });
  await session.close();
});

/** How a parent with 30 ms fares whose child asks a person while it runs, and hears after 60 ms or never. */
async function asking(how: 'ask' | 'admit', patience: 'heard' | 'given up' = 'heard') {
  const late = async <T>(value: T): Promise<T> => {
    if (patience === 'given up') return new Promise(() => {});
    await wait(60);
    return value;
  };
  const child = defineTool({
    name: 'child',
    description: 'Finds out that it needs somebody.',
    input: empty,
    effects: () => [{ kind: 'ask', target: 'person' }],
    run: async (_input, context) => {
      if (how === 'admit') await context.admit({ kind: 'write', target: 'a.txt' });
      else await context.ask({ question: 'Shall I?' });
      return { output: 'done' };
    },
  });
  const middle = defineTool({
    name: 'middle',
    description: 'Calls child, for some time.',
    input: empty,
    orchestrator: true,
    timeoutMs: 30,
    effects: () => [],
    run: async (_input, context) => {
      const signal = patience === 'given up' ? { signal: AbortSignal.timeout(10) } : {};
      const { output } = await context.invoke({ name: 'child' }, signal);
      // Who no longer waits for a person has its own time again.
      if (patience === 'given up') await new Promise(() => {});
      return { output };
    },
  });
  const parent = defineTool({
    name: 'parent',
    description: 'Calls middle.',
    input: empty,
    orchestrator: true,
    timeoutMs: 30,
    effects: () => [],
    run: async (_input, context) => ({ output: (await context.invoke({ name: 'middle' })).output }),
  });
  const session = await createHost({
    providers: [
      defineProvider({ name: 'family', version: '1.0.0', tools: [parent, middle, child] }),
    ],
  }).open({
    workspace: memoryWorkspace(),
    asker: () => late({ answered: true, answer: 'yes' }),
    approver: () => late<ApprovalAnswer>({ decision: 'approve' }),
  });
  const result = await session.tool('parent');
  await session.close();
  return result;
}

test.each(['ask', 'admit'] as const)(
  'the time for which a child that runs asks a person (%s) counts for nobody above it',
  async (how) => {
    expect(await asking(how)).toMatchObject({ output: 'done', error: null });
  },
);

test('a child that is given up while it waits for a person gives those above their time back', async () => {
  expect((await asking('ask', 'given up')).error?.type).toBe('timeout');
});
