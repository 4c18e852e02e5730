import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VmPool } from '../../src/vm/vm-pool.ts';
import { program, runScript } from './vm-harness.ts';

// Scripts that take too much memory. The host stays well and the next script runs.
const memoryBytes = 4 * 1024 * 1024;
let pool: VmPool;
beforeAll(() => {
  pool = new VmPool({ memoryBytes });
});
afterAll(() => pool.close());

async function expectHealthy(): Promise<void> {
  expect((await runScript(pool, program('return "healthy"'))).value).toBe('healthy');
}

describe('memory holds for every pattern of allocation', () => {
  const bombs: readonly (readonly [string, string])[] = [
    ['PROG-007: strings in an array', 'var a = []; for (;;) a.push("x".repeat(1e5))'],
    ['small arrays', 'const a = []; for (;;) a.push([1, 2, 3])'],
    ['arrays of numbers', 'const a = []; for (;;) a.push(new Array(1000).fill(1))'],
    ['objects', 'const a = []; for (let i = 0; ; i++) a.push({ i, s: "k" + i })'],
    ['buffers', 'const a = []; for (;;) a.push(new ArrayBuffer(1 << 20))'],
    ['typed arrays', 'const a = []; for (;;) a.push(new Uint8Array(1e5).fill(7))'],
    [
      'a buffer that grows',
      'const b = new ArrayBuffer(1, { maxByteLength: 1 << 30 }); for (let n = 1; ; n *= 2) b.resize(n)',
    ],
    ['shared buffers', 'const a = []; for (;;) a.push(new SharedArrayBuffer(1 << 20))'],
    ['an array that grows', 'const a = []; for (;;) a.push(1)'],
    ['a map', 'const m = new Map(); for (let i = 0; ; i++) m.set("k" + i, "v" + i)'],
    [
      'weak maps',
      'const m = new WeakMap(), k = []; for (;;) { const o = {}; k.push(o); m.set(o, []) }',
    ],
    ['properties', 'const o = {}; for (let i = 0; ; i++) o["p" + i] = i'],
    ['symbols', 'const a = []; for (let i = 0; ; i++) a.push(Symbol("s" + i))'],
    ['closures', 'const a = []; for (;;) a.push(() => a)'],
    [
      'generators',
      'const a = []; function* g() { yield 1 } for (;;) { const x = g(); x.next(); a.push(x) }',
    ],
    ['promises', 'const a = []; for (;;) a.push(new Promise(() => {}))'],
    ['jobs', 'for (;;) Promise.resolve().then(() => {})'],
    ['JSON', 'const a = []; for (;;) a.push(JSON.parse(\'{"a":[1,2,3,{"b":1}]}\'))'],
    ['spread', 'let a = [1]; for (;;) a = [...a, ...a]'],
    ['concat', 'let a = [1]; for (;;) a = a.concat(a)'],
    ['replace', 'let s = "x".repeat(1e5); for (;;) s = s.replace(/x/g, "xx")'],
    ['split', 'return "x".repeat(3e6).split("").length'],
    ['bound functions', 'let f = () => 1; for (;;) f = f.bind(null)'],
    ['proxies', 'let p = {}; for (;;) p = new Proxy(p, {})'],
    ['the stack of a regular expression', '/^(?:a|b|c)*$/.test("abc".repeat(2e6))'],
    ['the stack of a lookahead', '/(?=(a*))*b/.test("a".repeat(4e6))'],
    [
      'exhaustion caught by try',
      'try { var a = []; for (;;) a.push("x".repeat(1e5)) } catch (e) { return "caught" } finally { return "finally" }',
    ],
    [
      'exhaustion caught by a promise',
      'return await (async () => { await 0; var a = []; for (;;) a.push("x".repeat(1e5)) })().catch(() => "caught")',
    ],
    [
      'exhaustion in a microtask',
      'queueMicrotask(() => { var a = []; for (;;) a.push("x".repeat(1e5)) }); await new Promise(() => {})',
    ],
    ['exhaustion while the result is encoded', 'const s = "x".repeat(3e6); return [s, s, s, s]'],
    [
      'exhaustion by an answer',
      'const a = []; for (;;) a.push((await ctx.tools.echo({})).structured)',
    ],
  ];

  test.each(bombs)('%s', async (_name, body) => {
    const { end } = await runScript(pool, program(body), {
      timeoutMs: 10_000,
      maxCalls: 100_000,
      answer: () => ({ structured: 'y'.repeat(100_000) }),
    });
    expect(end).toEqual({ type: 'out_of_memory' });
    await expectHealthy();
  });

  test('compiled functions: the engine may tell exhaustion as a mistake of the script', async () => {
    const body = 'const a = []; for (let i = 0; ; i++) a.push(new Function("return " + i))';
    const { end } = await runScript(pool, program(body), { timeoutMs: 10_000 });
    expect(['out_of_memory', 'script_error']).toContain(end.type);
    await expectHealthy();
  });

  test('PROG-008: many objects in a promise job, twenty times', async () => {
    const large = new VmPool();
    const body =
      'Promise.resolve().then(() => { const a = []; for (let i = 0; i < 200000; i++) a.push({ i }); globalThis.k = a.length }); await 0; return k';
    const run = () => runScript(large, program(body), { timeoutMs: 20_000 });
    expect((await run()).value).toBe(200_000);
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 20; i += 1) expect((await run()).value).toBe(200_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
    expect((await runScript(large, program('return 1'))).value).toBe(1);
    await large.close();
  });
});
