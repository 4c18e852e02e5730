import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  ToolError,
  type Tool,
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
