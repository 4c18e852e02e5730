import type { JsonValue } from '@toolwright/core';
import { afterAll, expect, test } from 'vitest';
import { VmPool } from '../../src/vm/vm-pool.ts';
import { bridgeScripts } from './bridge-scripts.ts';
import { escapeScripts, type HostileScript } from './escape-scripts.ts';
import { program, runScript, type ScriptReport } from './vm-harness.ts';

const scripts = [...escapeScripts, ...bridgeScripts];
const pool = new VmPool();
afterAll(() => pool.close());

test('the tables are long and name nothing twice', () => {
  expect(new Set(scripts.map(([name]) => name)).size).toBe(scripts.length);
  expect(scripts.length).toBeGreaterThanOrEqual(120);
});

test.each(scripts)('%s', async (_name, body, expected) => {
  const report = await runScript(pool, program(body), { answer });
  expect(toSeen(report, expected)).toEqual(expected);

  expect(Object.keys(Object.prototype)).toEqual([]);
  expect('polluted' in {}).toBe(false);
  const next = await runScript(
    pool,
    program(
      'return [1, 2].map((x) => x + 1).concat(Object.keys(Object.prototype), typeof JSON.stringify)',
    ),
  );
  expect(next.value).toEqual([2, 3, 'function']);
});

test('PROG-011: recursion ends as an error that a script can catch, and harms nobody', async () => {
  const recursion = 'function f() { return f() } try { f() } catch (e) { return e.name }';
  expect((await runScript(pool, program(recursion))).value).toBe('RangeError');
  const uncaught = await runScript(pool, program('function f() { return f() } f()'));
  expect(uncaught.end).toMatchObject({
    type: 'script_error',
    failure: { reason: 'stack_overflow', line: 2 },
  });
  expect((await runScript(pool, program('return 1'))).value).toBe(1);
});

test('PROG-014: neither functions nor errors lead out, and nothing of one script is left for the next', async () => {
  const body = `
    const seen = [typeof ctx.tools.echo.constructor('return this')().process];
    try { await ctx.tools.fail({}, { throwOnError: true }) } catch (e) {
      seen.push(typeof e.constructor.constructor('return globalThis.process')());
    }
    Object.prototype.polluted = 1;
    Array.prototype.map = Promise.prototype.then = () => 'hacked';
    Error.prepareStackTrace = () => 'hacked';
    const answer = await ctx.tools.echo(JSON.parse('{"__proto__":{"polluted":1},"a":1}'));
    return [...seen, answer.structured.a];`;
  const report = await runScript(pool, program(body), { answer });
  expect(report.value).toEqual(['undefined', 'undefined', 1]);
  expect(report.calls.at(-1)?.args).toEqual(JSON.parse('{"__proto__":{"polluted":1},"a":1}'));
  expect('polluted' in {}).toBe(false);
  const next = await runScript(
    pool,
    program('return [typeof polluted, [1].map((x) => x + 1)[0], typeof new Error("x").stack]'),
  );
  expect(next.value).toEqual(['undefined', 2, 'string']);
});

/** `fail` fails, everything else answers with its own arguments. */
function answer(name: string, args: unknown): JsonValue {
  const ok = name !== 'fail';
  const error = { type: 'not_found', stage: 'run', message: 'no', retryable: false };
  return {
    name,
    ok,
    output: '',
    text: '',
    exitCode: ok ? 0 : 1,
    error: ok ? null : error,
    metadata: {},
    // It came as JSON.
    structured: args as JsonValue,
    trust: 'workspace_data',
  };
}

/** What the script came to, in the words of the table: a failure is known by its reason or by its name. */
function toSeen({ end, value }: ScriptReport, expected: HostileScript[2]): HostileScript[2] {
  if (end.type === 'success') return { value };
  if (end.type !== 'script_error') return { failure: end.type };
  const { reason, name } = end.failure;
  const words = [reason, name];
  const named = 'failure' in expected && words.includes(expected.failure);
  return { failure: named ? expected.failure : words.join(' ') };
}
