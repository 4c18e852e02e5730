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
