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
