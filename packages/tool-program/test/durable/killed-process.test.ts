import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { countingProgram, openCountingSession } from './counting-session.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'toolwright-durable-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const linesOf = (file: string): readonly string[] =>
  readFileSync(join(root, file), 'utf8').trim().split('\n');

/** Runs the program in a process that kills itself there; resolves when it is dead. */
async function runAndKill(...where: readonly string[]): Promise<void> {
  const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(
    process.execPath,
    [
      '--conditions=@toolwright/source',
      '--import',
      file('register-types.mjs'),
      file('killed-child.ts'),
      root,
      ...where,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const [code, signal] = await once(child, 'exit');
  expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' });
}

test.each([
  {
    tool: 'count',
    step: '2',
    phase: 'after',
    seen: ['counted', 'counted', 'uncertain_outcome', 'counted'],
  },
  {
    tool: 'count',
    step: '2',
    phase: 'before',
    seen: ['counted', 'counted', 'uncertain_outcome', 'counted'],
  },
  {
    tool: 'count',
    step: '0',
    phase: 'before',
    seen: ['uncertain_outcome', 'counted', 'counted', 'counted'],
  },
  {
    tool: 'count',
    step: '3',
    phase: 'after',
    seen: ['counted', 'counted', 'counted', 'uncertain_outcome'],
  },
  { tool: 'look', step: '1', phase: 'before', seen: ['counted', 'counted', 'counted', 'counted'] },
  { tool: 'look', step: '3', phase: 'after', seen: ['counted', 'counted', 'counted', 'counted'] },
])(
  'killed in $tool, step $step, $phase its effect: gone on with, and no effect is there twice',
  async ({ tool, step, phase, seen }) => {
    await runAndKill(tool, step, phase);
    const session = await openCountingSession(root);
    const result = await session.program(countingProgram);
    expect(result.error).toBeNull();
    expect(result.structured).toMatchObject({ seen });
    const counted = linesOf('counter');
    expect(new Set(counted).size).toBe(counted.length);
    // The one call whose outcome nobody knows is not repeated; whether it had its effect, its file tells.
    expect(counted.length).toBe(tool === 'count' && phase === 'before' ? 3 : 4);

    // Once more: everything comes from the log, and is the same.
    const again = await session.program(countingProgram);
    expect(again.structured).toEqual(result.structured);
    expect(again.metadata['program']).toMatchObject({ replayed_calls: 8 });
    expect(linesOf('counter')).toEqual(counted);
    await session.close();
  },
  120_000,
);

test('killed several times', async () => {
  await runAndKill('count', '0', 'after');
  await runAndKill('count', '3', 'after');
  const session = await openCountingSession(root);
  const result = await session.program(countingProgram);
  expect(result.structured).toMatchObject({
    seen: ['uncertain_outcome', 'counted', 'counted', 'uncertain_outcome'],
  });
  expect(linesOf('counter')).toEqual(['0', '1', '2', '3']);
  await session.close();
}, 120_000);
