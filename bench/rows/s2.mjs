import { asProgram, openProgramSession } from '../harness/program-session.mjs';

export const work = '200 calls of the host by one script, one after the other and all at once';

const anchor = '`run` 2.1.5, bare host functions';

export const comparisons = [
  {
    row: 'S2.sequential',
    bar: 0.3,
    target: 0.15,
    anchor,
    ours: 'calls of a tool, each through the whole kernel',
  },
  { row: 'S2.parallel', bar: 0.25, target: 0.1, anchor, ours: 'the same, eight under way at once' },
];

const calls = 200;
const scripts = {
  sequential: (call, text) => `
let sum = 0;
for (let i = 0; i < ${calls}; i += 1) sum += (await ${call}).${text};
return sum;`,
  parallel: (call, text) => `
const all = await Promise.all(Array.from({ length: ${calls} }, (_, i) => ${call}));
return all.reduce((sum, each) => sum + each.${text}, 0);`,
};

export async function measure(bench) {
  const { run } = await import('run');
  const session = await openProgramSession();
  const limits = { maxBridgeRequests: 1_000, maxConcurrentBridgeRequests: 1_000 };
  for (const [name, script] of Object.entries(scripts)) {
    const theirs = script('host.echo({ text: "a/b/c.ts " + i })', 'length');
    const source = asProgram(script('echo({ text: "a/b/c.ts " + i })', 'output.length'));
    await bench.compare(`S2.${name}`, {
      anchor: async () =>
        (
          await run({
            source: theirs,
            hostFunctions: { host: { echo: async ({ text }) => text } },
            limits,
          })
        ).value,
      ours: async () =>
        (await session.program({ source, limits: { maxToolCalls: calls } })).structured,
      check: (expected, found) => {
        if (found !== 2_290 || expected !== found) throw new Error(`${expected} and ${found}`);
      },
      rounds: 15,
      warmup: 25,
    });
  }
  await session.close();
}
