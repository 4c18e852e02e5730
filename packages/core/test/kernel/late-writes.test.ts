import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  ToolError,
  type Tool,
  type ToolEvent,
} from '../../src/index.ts';

const input = { type: 'object', properties: {}, additionalProperties: false } as const;

const open = (tools: readonly Tool[]) => {
  const workspace = memoryWorkspace({ files: { 'a.txt': 'old' } });
  const provider = defineProvider({ name: 'family', version: '1.0.0', tools });
  return createHost({ providers: [provider] }).open({ workspace });
};

test('KERNEL-003: a tool that ignores its signal cannot write after its time is over', async () => {
  let finished: Promise<unknown> = Promise.resolve();
  let aborted: unknown;
  const stubborn = defineTool({
    name: 'stubborn',
    description: 'Goes on after it was stopped.',
    input,
    requires: ['files.write', 'files.read'],
    timeoutMs: 20,
    effects: () => [{ kind: 'write', target: 'a.txt' }],
    run: async (_input, { signal, workspace }) => {
      const work = async (): Promise<void> => {
        const transaction = await workspace.writer.begin();
        await transaction.stage({
          kind: 'write',
          path: 'a.txt',
          content: new TextEncoder().encode('late'),
          expected: { kind: 'any' },
        });
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
        aborted = signal.reason;
        await transaction.promoteAll();
      };
      finished = Promise.allSettled([work()]);
      await finished;
      return { output: 'done' };
    },
  });
  const peek = defineTool({
    name: 'peek',
    description: 'Reads the file.',
    input,
    requires: ['files.read'],
    effects: () => [{ kind: 'read', target: 'a.txt' }],
    run: async (_input, { workspace }) => {
      const reader = await workspace.files.openRead('a.txt');
      try {
        return { output: new TextDecoder().decode(await reader.read(0, 16)) };
      } finally {
        await reader.close();
      }
    },
  });
  const session = await open([stubborn, peek]);
  expect((await session.tool('stubborn')).error?.type).toBe('timeout');
  expect(ToolError.isInstance(aborted) && aborted.type).toBe('timeout');
  await expect(finished).resolves.toMatchObject([{ status: 'rejected' }]);
  expect((await session.tool('peek')).output).toBe('old');
  await session.close();
});

test('KERNEL-003: a tool that honours its signal never writes, and is told that its time is over', async () => {
  let reason: unknown;
  const honest = defineTool({
    name: 'honest',
    description: 'Would write a marker after 300 ms.',
    input,
    requires: ['files.write', 'files.read'],
    timeoutMs: 100,
    effects: () => [{ kind: 'write', target: 'marker.txt' }],
    run: async (_input, { signal, workspace }) => {
      try {
        await sleep(300, undefined, { signal });
      } catch {
        reason = signal.reason;
        signal.throwIfAborted();
      }
      const transaction = await workspace.writer.begin();
      const content = new TextEncoder().encode('marker');
      const expected = { kind: 'absent' } as const;
      await transaction.stage({ kind: 'write', path: 'marker.txt', content, expected });
      await transaction.promoteAll();
      return { output: 'done' };
    },
  });
  const workspace = memoryWorkspace();
  const session = await createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [honest] })],
  }).open({ workspace });
  const { error } = await session.tool('honest');
  expect(error).toMatchObject({ type: 'timeout', op: 'honest', duration_ms: 100 });
  expect(error?.['may_still_run']).toBeUndefined();
  expect(ToolError.isInstance(reason) && reason.type).toBe('timeout');
  await session.close();
  expect(await workspace.files?.list('')).toEqual([]);
});

test('KERNEL-003: the late value of a tool that ignores its signal is dropped, and its locks are free', async () => {
  let settle = (): void => {};
  const late = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const deaf = defineTool({
    name: 'deaf',
    description: 'Resolves whenever it likes.',
    input,
    timeoutMs: 20,
    effects: () => [{ kind: 'write', target: 'a.txt' }],
    run: async () => {
      await late;
      return { output: 'late' };
    },
  });
  const next = defineTool({
    name: 'next',
    description: 'Needs the same file.',
    input,
    effects: () => [{ kind: 'write', target: 'a.txt' }],
    run: async () => ({ output: 'ok' }),
  });
  const session = await open([deaf, next]);
  const stream = session.events();
  const result = await session.tool('deaf');
  expect(result.error).toMatchObject({ type: 'timeout', may_still_run: true });
  expect(result.output).not.toContain('late');
  expect((await session.tool('next')).output).toBe('ok');
  settle();
  let told: ToolEvent | undefined;
  for await (const event of stream) {
    told = event;
    if (event.type === 'tool_late_result') break;
  }
  expect(told).toMatchObject({ type: 'tool_late_result', name: 'deaf', outcome: 'value' });
  await session.close();
});

test('KERNEL-005: a call whose signal is aborted already never reaches its tool', async () => {
  let ran = false;
  const touch = defineTool({
    name: 'touch',
    description: 'Notes that it ran.',
    input,
    effects: () => [],
    run: async () => {
      ran = true;
      return { output: '' };
    },
  });
  const session = await open([touch]);
  const result = await session.tool('touch', {}, { signal: AbortSignal.abort() });
  expect(result.error?.type).toBe('cancelled');
  expect(ran).toBe(false);
  await session.close();
});
