import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VmPool } from '../../src/vm/vm-pool.ts';
import { program, runScript } from './vm-harness.ts';

// Scripts that never end, or wait for what never comes. The host stays well and the next script runs.
const memoryBytes = 8 * 1024 * 1024;
let pool: VmPool;
beforeAll(() => {
  pool = new VmPool({ memoryBytes });
});
afterAll(() => pool.close());

async function expectHealthy(): Promise<void> {
  expect((await runScript(pool, program('return "healthy"'))).value).toBe('healthy');
}

describe('a script that never ends is stopped', () => {
  const loops: readonly (readonly [string, string])[] = [
    [
      'PROG-002: a loop inside a promise executor',
      'await new Promise((ok) => { (async () => { while (1) {} })() })',
    ],
    [
      'PROG-002: a loop inside a promise job',
      'await Promise.resolve().then(() => { while (1) {} })',
    ],
    ['PROG-002: a loop after an await', 'await (async () => { await 0; while (1) {} })()'],
    [
      'PROG-003: an interrupt caught by a promise',
      'await (async () => { const l = async () => { await 0; while (true) {} }; while (true) { await l().catch(() => {}) } })()',
    ],
    ['PROG-003: an interrupt caught by try', 'for (;;) { try { while (1) {} } catch (e) {} }'],
    ['PROG-003: a loop in finally', 'try { while (1) {} } finally { while (1) {} }'],
    [
      'an endless chain of jobs',
      'const again = () => { Promise.resolve().then(again) }; again(); await new Promise(() => {})',
    ],
    [
      'endless microtasks',
      'const again = () => queueMicrotask(again); again(); await new Promise(() => {})',
    ],
    ['an endless loop of awaits', 'for (;;) await null'],
    [
      'an endless iterator',
      'for (const x of { [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }) }) }) {}',
    ],
    ['an endless generator', 'function* g() { for (;;) yield 1 } for (const x of g()) {}'],
    ['a regular expression that backtracks', '/^(a+)+$/.test("a".repeat(40) + "!")'],
    [
      'a native loop: split, reverse, join',
      'for (;;) "x".repeat(1 << 15).split("").reverse().join("")',
    ],
    [
      'a native loop: JSON',
      'const a = Array.from({ length: 2e4 }, (_, i) => i); for (;;) JSON.parse(JSON.stringify(a))',
    ],
    ['a native loop: join of a sparse array', 'new Array(1e9).join("")'],
    [
      'a native loop: sort',
      'const a = Array.from({ length: 1e4 }, (_, i) => (i * 7919) % 100003); for (;;) a.slice().sort()',
    ],
    ['a native loop: a big integer as text', 'for (;;) (1n << 1000000n).toString()'],
    [
      'a native loop: indexOf',
      'const s = "a".repeat(1e6); for (;;) s.indexOf("a".repeat(5e5) + "b")',
    ],
    ['a native loop: fill', 'const a = new Uint8Array(4e6); for (;;) a.fill(1)'],
    ['a native loop: normalize', 'const s = "\\u0344".repeat(1e5); for (;;) s.normalize("NFD")'],
    ['a native loop: atoms', 'for (let i = 0; ; i++) Symbol.for("s".repeat(1000) + i)'],
    ['a loop while the module is loaded', ''],
    ['a loop in a getter of what is returned', 'return { get a() { for (;;) {} } }'],
    ['a loop in a getter of what is thrown', 'throw { get message() { for (;;) {} } }'],
    ['a loop in a getter of an argument', 'await ctx.tools.echo({ get a() { for (;;) {} } })'],
    ['a loop in a getter of a line', 'console.log({ get a() { for (;;) {} } })'],
    ['a loop in the then of what is returned', 'return { then() { for (;;) {} } }'],
    [
      'a loop in prepareStackTrace',
      'Error.prepareStackTrace = () => { for (;;) {} }; throw new Error("x")',
    ],
    ['a loop in a proxy trap', 'return new Proxy({}, { ownKeys() { for (;;) {} } })'],
    [
      'a loop in a species constructor',
      'class A extends Array { static get [Symbol.species]() { for (;;) {} } } new A(3).map((x) => x)',
    ],
    [
      'a loop in an event of a tool call',
      'ctx.tools.echo({}).then(() => { for (;;) {} }); await null',
    ],
  ];

  test.each(loops)('%s', async (_name, body) => {
    const source = body === '' ? 'for (;;) {}' : program(body);
    const startedAt = performance.now();
    const { end } = await runScript(pool, source, { timeoutMs: 80 });
    expect(end.type).toBe('stopped');
    // A hang bound, not a timing.
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    await expectHealthy();
  });
});

describe('PROG-005: a promise that nothing can settle is told at once', () => {
  test.each([
    'await new Promise(() => {})',
    'await { then() {} }',
    'return new Promise(() => {})',
    'await Promise.race([])',
    'await Promise.all([1, new Promise(() => {})])',
    'await ctx.tools.echo({}); await new Promise(() => {})',
  ])('%s', async (body) => {
    const { end } = await runScript(pool, program(body), { timeoutMs: 20_000 });
    expect(end).toMatchObject({ type: 'script_error', failure: { reason: 'deadlock' } });
  });

  test('while the module is loaded', async () => {
    const { end } = await runScript(pool, 'await new Promise(() => {});\nexport default () => 1');
    expect(end).toMatchObject({ type: 'script_error', failure: { reason: 'deadlock' } });
  });
});
