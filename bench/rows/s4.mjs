import { asProgram, openProgramSession } from '../harness/program-session.mjs';

export const work =
  'scripts that never end, with a deadline of 200 ms, loops inside native functions included; the worst of them counts';

export const comparisons = [
  {
    row: 'S4',
    bar: 100,
    target: 25,
    ours: 'from the deadline to the result of the program, its guest gone',
    unit: 'ms',
  },
];

const timeoutMs = 200;
const repeats = 3;

const loops = {
  empty: 'for (;;) {}',
  caught: 'for (;;) { try { for (;;) {} } catch {} }',
  jobs: 'const again = () => { Promise.resolve().then(again) }; again(); await new Promise(() => {});',
  promise: 'await new Promise((ok) => { (async () => { await 0; for (;;) {} })() });',
  regexp: 'for (;;) /^(a+)+$/.test("a".repeat(40) + "!");',
  sort: 'const a = Array.from({ length: 1e4 }, (_, i) => (i * 7919) % 100003); for (;;) a.slice().sort();',
  split: 'for (;;) "x".repeat(1 << 18).split("").reverse().join("");',
  json: 'const a = Array.from({ length: 2e5 }, (_, i) => i); for (;;) JSON.parse(JSON.stringify(a));',
  bigint: 'for (;;) (1n << 1000000n).toString();',
  sparse: 'new Array(1e9).join("");',
  getter: 'return { get a() { for (;;) {} } };',
  refused: 'for (;;) await echo({ text: "x" });',
};

export async function measure(bench) {
  const session = await openProgramSession();
  const run = (body) =>
    session.program({
      source: asProgram(body),
      limits: { timeoutMs, maxToolCalls: 1_000 },
    });
  await run('return 1');
  const late = [];
  for (const [name, body] of Object.entries(loops)) {
    const times = [];
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const started = performance.now();
      const { error } = await run(body);
      times.push(performance.now() - started - timeoutMs);
      if (error?.type !== 'timeout') throw new Error(`${name} ended with ${error?.type}`);
    }
    late.push(Math.min(...times));
  }
  await session.close();
  bench.value('S4', [Math.max(...late)]);
}
