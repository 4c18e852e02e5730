import { builtFile } from '../harness/packages.mjs';
import { asProgram, openProgramSession } from '../harness/program-session.mjs';
import { timeProcess } from '../harness/time-process.mjs';

export const work =
  '`return 1+1` as a program, warm in one process, and from the first import in fresh ones (without the start of Node)';

export const comparisons = [
  {
    row: 'S1.warm',
    bar: 0.1,
    target: 0.06,
    anchor: '`run` 2.1.5, the engine of the AI SDK’s code mode',
    ours: '`session.program`, through the kernel',
  },
  {
    row: 'S1.cold',
    bar: 0.6,
    target: 0.45,
    anchor: '`run`: import, then the first result',
    ours: 'import of core and tool-program, `host.open`, the first result',
  },
];

const calls = 10;
const source = 'return 1 + 1;';

const cold = {
  anchor: `
const started = performance.now();
const { run } = await import('run');
const { value } = await run({ source: ${JSON.stringify(source)} });
console.log(JSON.stringify({ ms: performance.now() - started, value }));
process.exit(0);
`,
  ours: `
const started = performance.now();
const [{ createHost, memoryWorkspace }, { program }] = await Promise.all([
  import(${JSON.stringify(builtFile('core'))}),
  import(${JSON.stringify(builtFile('tool-program'))}),
]);
const scripts = program();
const host = createHost({ providers: [scripts], trustedOrchestrators: [scripts] });
const session = await host.open({ workspace: memoryWorkspace() });
const { structured: value } = await session.program({ source: ${JSON.stringify(asProgram(source))} });
console.log(JSON.stringify({ ms: performance.now() - started, value }));
process.exit(0);
`,
};

export async function measure(bench) {
  const { run } = await import('run');
  const session = await openProgramSession();
  await bench.compare('S1.warm', {
    anchor: () => repeat(async () => (await run({ source })).value),
    ours: () =>
      repeat(async () => (await session.program({ source: asProgram(source) })).structured),
    check: equal,
    rounds: 9,
    warmup: 25,
    calls,
  });
  await session.close();
  await bench.compare('S1.cold', {
    anchor: () => start(cold.anchor),
    ours: () => start(cold.ours),
    check: (theirs, found) => equal(theirs.value, found.value),
    rounds: 11,
    warmup: 2,
  });
}

async function repeat(work) {
  let last;
  for (let done = 0; done < calls; done += 1) last = await work();
  return last;
}

function start(code) {
  const args = ['--input-type=module', '-e', code];
  return JSON.parse(timeProcess([process.execPath, ...args], { cwd: import.meta.dirname }).stdout);
}

function equal(expected, found) {
  if (expected !== 2 || found !== 2) throw new Error(`${expected} and ${found}, not 2`);
}
