import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VmPool } from '../../src/vm/vm-pool.ts';
import { program, runScript } from './vm-harness.ts';

// Scripts that write lines.
const memoryBytes = 8 * 1024 * 1024;
let pool: VmPool;
beforeAll(() => {
  pool = new VmPool({ memoryBytes });
});
afterAll(() => pool.close());

describe('lines', () => {
  test('PROG-019: a flood of lines is capped where it is written', async () => {
    const report = await runScript(pool, program('while (true) console.log("x".repeat(1000))'), {
      timeoutMs: 2_000,
    });
    expect(report.end.type).toBe('stopped');
    const bytes = report.lines.reduce((sum, line) => sum + line.text.length, 0);
    expect(bytes).toBeGreaterThan(60_000);
    expect(bytes).toBeLessThanOrEqual(65_536);
  });

  test('PROG-019: a million lines, and the program goes on', async () => {
    const report = await runScript(
      pool,
      program('for (let i = 0; i < 1e6; i++) console.log(i); return 7'),
      {
        timeoutMs: 60_000,
      },
    );
    expect(report.value).toBe(7);
    expect(report.lines[0]).toEqual({ level: 'log', text: '0' });
    // A line that was cut counts on both sides.
    expect([1_000_000, 1_000_001]).toContain(report.lines.length + report.droppedLines);
  });

  test.each([
    ['an exception', 'throw new Error("x")', { type: 'script_error', timeoutMs: 20_000 }],
    ['a loop', 'while (true) {}', { type: 'stopped', timeoutMs: 1_000 }],
    [
      'a native loop',
      'for (;;) "x".repeat(1 << 15).split("").reverse().join("")',
      { type: 'stopped', timeoutMs: 1_000 },
    ],
    [
      'exhaustion',
      'var a = []; for (;;) a.push("x".repeat(1e5))',
      { type: 'out_of_memory', timeoutMs: 20_000 },
    ],
  ])('PROG-020: lines survive %s', async (_name, ending, { type, timeoutMs }) => {
    const body = `console.log("step1"); await ctx.tools.echo({}); console.log("step2"); ${ending}`;
    const report = await runScript(pool, program(body), { timeoutMs });
    expect(report.end.type).toBe(type);
    expect(report.lines.map((line) => line.text)).toEqual(['step1', 'step2']);
  });
});
