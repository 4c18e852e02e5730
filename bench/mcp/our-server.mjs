// Usage: node our-server.mjs stdio|http: a session with one tool, `echo`, served. Over HTTP it prints its URL.
import { ours } from '../harness/packages.mjs';
import { echoSchema } from './echo.mjs';

const { createHost, defineProvider, defineTool, memoryWorkspace } = await ours('core');
const { serveHttp, serveStdio } = await ours('mcp', './server');

const echo = defineTool({
  name: 'echo',
  description: 'Echoes.',
  input: echoSchema,
  capabilities: { readOnly: true, idempotent: true, maxParallelism: 16 },
  effects: () => [],
  run: async ({ message }) => ({ output: `Echo: ${message}` }),
});
const provider = defineProvider({ name: 'bench', version: '1.0.0', tools: [echo] });
const host = createHost({ providers: [provider] });
const open = ({ approver, asker }) =>
  host.open({ workspace: memoryWorkspace({}), approver, asker });

if (process.argv[2] === 'stdio') await serveStdio(open);
else console.log((await serveHttp(open)).url);
