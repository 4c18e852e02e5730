import { ours } from '../harness/packages.mjs';

export const work =
  'one governed call of a trivial tool with 1 KiB of result: validation, policy, three hooks, two digests, projection, evidence, events';

export const comparisons = [
  {
    row: 'K1.agents',
    bar: 1.5,
    target: 0.7,
    anchor: '`tool.invoke` of @openai/agents (no policy, hooks or evidence)',
    ours: '`session.invoke`, arguments as JSON text',
    unit: 'µs',
  },
  {
    row: 'K1.mcp',
    bar: 0.4,
    target: 0.2,
    anchor: '`callTool` of the MCP SDK, client and server in memory',
    ours: '`session.invoke`, arguments as an object',
    unit: 'µs',
  },
];

const calls = 2_000;
const input = { pattern: 'useState', path: 'src', limit: 100, ignore_case: false };
const text = JSON.stringify(input);
const output = 'x'.repeat(1024);

export async function measure(bench) {
  const session = await openSession();
  const { invoke } = await agentsTool();
  const client = await mcpClient();
  const rounds = { rounds: 11, warmup: 2, calls };

  await bench.compare('K1.agents', {
    anchor: () => repeat(() => invoke(text)),
    ours: () => repeat(() => session.call(JSON.parse(text))),
    check: (expected, result) => equal(expected, result.output),
    ...rounds,
  });
  await bench.compare('K1.mcp', {
    anchor: () => repeat(() => client.callTool({ name: 'grep', arguments: input })),
    ours: () => repeat(() => session.call(input)),
    check: (expected, result) => equal(expected.content[0].text, result.output),
    ...rounds,
  });
  await session.close();
}

async function repeat(call) {
  let last;
  for (let done = 0; done < calls; done += 1) last = await call();
  return last;
}

function equal(expected, found) {
  if (expected !== output || found !== output) throw new Error('the results differ');
}

/** A session with everything on: rules, three hooks, a consumer of events that reads along. */
async function openSession() {
  const { createHost, defineProvider, defineTool, memoryWorkspace } = await ours('core');
  const grep = defineTool({
    name: 'grep',
    description: 'Finds a pattern.',
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['pattern'],
      properties: {
        pattern: { type: 'string', minLength: 1, maxLength: 1000 },
        path: { type: 'string' },
        limit: { type: 'integer', minimum: 1, maximum: 10_000 },
        ignore_case: { type: 'boolean' },
      },
    },
    capabilities: { readOnly: true, maxParallelism: 16 },
    effects: ({ path }) => [{ kind: 'read', target: path ?? '.' }],
    run: async () => ({ output }),
  });
  const provider = defineProvider({ name: 'bench', version: '1.0.0', tools: [grep] });
  const host = createHost({
    providers: [provider],
    policy: { deny: ['write:.env*'], allow: ['read:**'] },
    hooks: [
      { beforeTool: async () => ({ action: 'continue' }) },
      { beforeTool: async () => ({ action: 'continue' }), afterTool: async () => {} },
      { afterTool: async () => {} },
    ],
  });
  const session = await host.open({ workspace: memoryWorkspace({}) });
  const events = session.events();
  const reading = (async () => {
    let seen = 0;
    for await (const event of events) seen += event.seq > 0 ? 1 : 0;
    return seen;
  })();
  let id = 0;
  return {
    call: (args) => session.invoke({ id: `call-${(id += 1)}`, name: 'grep', arguments: args }),
    close: async () => {
      await session.close();
      if ((await reading) < id * 3) throw new Error('the consumer of events saw too few');
    },
  };
}

async function agentsTool() {
  const { RunContext, setTracingDisabled, tool } = await import('@openai/agents');
  const { z } = await import('zod');
  setTracingDisabled(true);
  const grep = tool({
    name: 'grep',
    description: 'Finds a pattern.',
    parameters: z.object({
      pattern: z.string().min(1).max(1000),
      path: z.string(),
      limit: z.number().int().min(1).max(10_000),
      ignore_case: z.boolean(),
    }),
    execute: async () => output,
  });
  const context = new RunContext({});
  return { invoke: (json) => grep.invoke(context, json) };
}

async function mcpClient() {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
  const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js');
  const { z } = await import('zod');
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  const inputSchema = {
    pattern: z.string().min(1).max(1000),
    path: z.string().optional(),
    limit: z.number().int().min(1).max(10_000).optional(),
    ignore_case: z.boolean().optional(),
  };
  server.registerTool('grep', { description: 'Finds a pattern.', inputSchema }, async () => ({
    content: [{ type: 'text', text: output }],
  }));
  const client = new Client({ name: 'bench', version: '1.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return client;
}
