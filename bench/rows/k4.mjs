import { builtFile } from '../harness/packages.mjs';
import { timeProcess } from '../harness/time-process.mjs';

export const work =
  'from nothing to an open session with 40 tools, each in a fresh process (without the start of Node)';

export const comparisons = [
  {
    row: 'K4.import',
    bar: 1.5,
    target: 1,
    anchor: "`import 'ajv'`",
    ours: "`import '@toolwright/core'` and `host.open` with 40 tools",
  },
  {
    row: 'K4.compiled',
    bar: 0,
    target: 0,
    ours: 'modules of ajv loaded and functions generated before the first call (a count)',
    unit: '',
  },
];

const anchor = `
const started = performance.now();
await import('ajv');
console.log(JSON.stringify({ ms: performance.now() - started }));
`;

const open = `
let generated = 0;
globalThis.Function = new Proxy(Function, {
  construct: (target, args) => ((generated += 1), Reflect.construct(target, args)),
  apply: (target, self, args) => ((generated += 1), Reflect.apply(target, self, args)),
});
const started = performance.now();
const { createHost, defineProvider, defineTool, memoryWorkspace } = await import(${JSON.stringify(builtFile('core'))});
const tools = Array.from({ length: 40 }, (_, number) => defineTool({
  name: 'tool_' + number,
  description: 'Does thing number ' + number + '.',
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['path'],
    properties: { path: { type: 'string' }, limit: { type: 'integer', minimum: 1, maximum: 100 + number } },
  },
  capabilities: { readOnly: true },
  effects: ({ path }) => [{ kind: 'read', target: path }],
  run: async () => ({ output: 'done' }),
}));
const provider = defineProvider({ name: 'bench', version: '1.0.0', tools });
const session = await createHost({ providers: [provider] }).open({ workspace: memoryWorkspace({}) });
const ms = performance.now() - started;
const { createRequire } = await import('node:module');
const loaded = Object.keys(createRequire('file:///').cache).filter((file) => file.includes('ajv')).length;
const { output } = await session.tool('tool_7', { path: 'a' });
console.log(JSON.stringify({ ms, tools: session.toolNames().length, compiled: generated + loaded, output }));
await session.close();
`;

export async function measure(bench) {
  const counts = [];
  await bench.compare('K4.import', {
    anchor: () => run(anchor),
    ours: () => {
      const outcome = run(open);
      counts.push(outcome.compiled);
      return outcome;
    },
    check: (_, { tools, output }) => {
      if (tools !== 40 || output !== 'done') throw new Error('the session is not usable');
    },
    rounds: 15,
    warmup: 2,
  });
  bench.value('K4.compiled', [Math.max(...counts)]);
}

function run(code) {
  const args = ['--input-type=module', '-e', code];
  return JSON.parse(timeProcess([process.execPath, ...args], { cwd: import.meta.dirname }).stdout);
}
