import { fileURLToPath } from 'node:url';
import { timeProcess } from '../harness/time-process.mjs';

export const work =
  'scripts that allocate until their limit of 16 MiB ends them, each pattern in a fresh process; the worst of them counts';

export const comparisons = [
  {
    row: 'S3',
    bar: 2,
    target: 1.5,
    ours: 'growth of the peak of resident memory, over the limit',
    unit: '× limit',
  },
];

const memoryBytes = 16 * 1024 * 1024;
const session = new URL('../harness/program-session.mjs', import.meta.url).href;

const patterns = {
  strings: 'const a = []; for (;;) a.push("x".repeat(1e5) + a.length);',
  numbers: 'const a = []; for (;;) a.push(new Array(1000).fill(1));',
  objects: 'const a = []; for (let i = 0; ; i += 1) a.push({ i, s: "k" + i });',
  buffers: 'const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1));',
  resized:
    'const b = new ArrayBuffer(1, { maxByteLength: 1 << 30 }); for (let n = 1; ; n *= 2) { b.resize(n); new Uint8Array(b).fill(1); }',
  doubled: 'let a = [1]; for (;;) a = a.concat(a);',
  promises: 'const a = []; for (;;) a.push(new Promise(() => {}));',
  jobs: 'for (;;) Promise.resolve().then(() => {});',
  map: 'const m = new Map(); for (let i = 0; ; i += 1) m.set("k" + i, "v" + i);',
  regexp: 'return /^(?:a|b|c)*$/.test("abc".repeat(2e6));',
  json: 'const a = []; for (;;) a.push(JSON.parse(\'{"a":[1,2,3,{"b":1}]}\'));',
  answers: 'const a = []; for (;;) a.push(await echo({ text: "y".repeat(50_000) }));',
};

// What the engine takes once, to compile its own hot functions, is no script's: it is compiled first, and the peak begins after it.
const warmup =
  'let n = 0; for (let k = 0; k < 20000; k += 1) n += [k].length; return (await echo({ text: "y".repeat(50_000) })).ok';

const script = (body) => `
const { readFileSync, writeFileSync } = await import('node:fs');
const { asProgram, openProgramSession } = await import(${JSON.stringify(session)});
const session = await openProgramSession({ memoryBytes: ${memoryBytes} });
const run = (body) => session.program({
  source: asProgram(body),
  limits: { maxToolCalls: 1000, timeoutMs: 20_000 },
});
for (let i = 0; i < 30; i += 1) await run(${JSON.stringify(warmup)});
const peakBytes = () => Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
// Linux: the peak is what is resident now.
writeFileSync('/proc/self/clear_refs', '5');
const before = peakBytes();
const { metadata } = await run(${JSON.stringify(body)});
const grown = peakBytes() - before;
const next = await run('return 1');
console.log(JSON.stringify({ grown, outcome: metadata.program.outcome, next: next.structured }));
process.exit(0);
`;

export async function measure(bench) {
  const grown = Object.entries(patterns).map(([name, body]) => {
    const { stdout } = timeProcess([process.execPath, '--input-type=module', '-e', script(body)], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
    });
    const seen = JSON.parse(stdout);
    if (seen.outcome !== 'out_of_memory' || seen.next !== 1) {
      throw new Error(`${name} ended with ${seen.outcome}, and the next program with ${seen.next}`);
    }
    return seen.grown / memoryBytes;
  });
  bench.value('S3', [Math.max(...grown)]);
}
