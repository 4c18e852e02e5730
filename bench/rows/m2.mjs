import { ours } from '../harness/packages.mjs';
import { program, sdkClient } from '../mcp/echo.mjs';

export const work =
  'connecting ten MCP servers over stdio, the first tool list included: ten that take from 100 to 1,000 ms to answer, and ten that only use the processor';

export const comparisons = [
  {
    row: 'M2',
    bar: 1.5,
    target: 1.3,
    anchor: 'the slowest of them alone, by the raw SDK',
    ours: '`host.open` and `session.ready()` with all ten',
  },
  {
    row: 'M2.busy',
    bar: 1.5,
    target: 1.3,
    anchor: 'the raw SDK connects ten of its own servers at once',
    ours: '`host.open` and `session.ready()` with the same ten',
  },
];

const count = 10;

export async function measure(bench) {
  const slow = Array.from({ length: count }, (_, index) =>
    program('plain-server.mjs', String((index + 1) * 100)),
  );
  const busy = Array.from({ length: count }, () => program('sdk-server.mjs', 'stdio'));
  await bench.compare('M2', {
    anchor: () => connectAll([slow.at(-1)]),
    ours: () => open(slow),
    check,
    rounds: 5,
  });
  await bench.compare('M2.busy', {
    anchor: () => connectAll(busy),
    ours: () => open(busy),
    check: (theirs, found) => {
      check(theirs, found);
      if (theirs.tools !== found.tools) throw new Error('the tools differ');
    },
    rounds: 5,
  });
}

function check(_, { ready }) {
  if (ready !== count) throw new Error(`${ready} of ${count} servers are ready`);
}

async function connectAll(programs) {
  const started = performance.now();
  const clients = await Promise.all(programs.map((each) => sdkClient(each)));
  const lists = await Promise.all(clients.map((client) => client.listTools()));
  const ms = performance.now() - started;
  await Promise.all(clients.map((client) => client.close()));
  return { ms, tools: lists.flatMap(({ tools }) => tools).length };
}

async function open(programs) {
  const { createHost, memoryWorkspace } = await ours('core');
  const { mcpServers } = await ours('mcp');
  const mcp = mcpServers(
    Object.fromEntries(programs.map((each, index) => [`server-${index}`, each])),
  );
  const host = createHost({ providers: [mcp] });
  const started = performance.now();
  const session = await host.open({ workspace: memoryWorkspace({}) });
  await session.ready();
  const ms = performance.now() - started;
  const states = mcp.status(session.id);
  await session.close();
  return {
    ms,
    ready: states.filter(({ state }) => state === 'ready').length,
    tools: states.reduce((sum, { toolCount }) => sum + toolCount, 0),
  };
}
