import { expect, test } from 'vitest';
import { memoryState, openSession, script } from '../session-harness.ts';
import { smallTool } from '../small-tools.ts';

const source = script('return (await ctx.tools.effect({})).output');

/** A run whose log is changed behind its back before it goes on. */
async function resumeWith(change: (log: string) => string) {
  const state = memoryState();
  let effects = 0;
  const tool = smallTool(
    'effect',
    async () => {
      effects += 1;
      return { output: `done ${effects}` };
    },
    { capabilities: { readOnly: false, idempotent: false } },
  );
  const session = await openSession({ tools: [tool], open: { state } });
  await session.program({ source, runId: 'r' });
  const key = [...state.kept.keys()].find((each) => each.includes('/runs/')) ?? '';
  const before = new TextDecoder().decode(state.kept.get(key));
  const after = change(before);
  expect(after).not.toBe(before);
  state.kept.set(key, Buffer.from(after));
  const result = await session.program({ source, runId: 'r' });
  await session.close();
  return { result, effects };
}

test.each<[name: string, line: number, change: (log: string) => string]>([
  ['other text', 1, () => 'garbage\n'],
  ['JSON that is no entry', 1, () => 'null\n'],
  ['no start', 1, (log) => log.slice(log.indexOf('\n') + 1)],
  ['two starts', 2, (log) => log.replace(/^(.*\n)/, '$1$1')],
  ['a type that is none', 3, (log) => log.replace('"type":"run"', '"type":"ran"')],
  ['a block of zeros before the end', 5, (log) => `${log}${'\0'.repeat(64)}\n`],
  ['an answer that is no JSON', 4, (log) => log.replace(/"json":".*"/, '"json":"{"')],
])('a damaged log is told, and nothing is done again: %s', async (_name, line, change) => {
  const { result, effects } = await resumeWith(change);
  expect(result.error).toMatchObject({
    type: 'internal',
    reason: 'log_damaged',
    log_line: line,
    message: expect.stringContaining('another run_id') as string,
  });
  expect(effects).toBe(1);
});

test('a line that a crash cut off was never acted on', async () => {
  const { result, effects } = await resumeWith((log) => `${log}${'\0'.repeat(64)}`);
  expect(result.structured).toBe('done 1');
  expect(effects).toBe(1);
});
