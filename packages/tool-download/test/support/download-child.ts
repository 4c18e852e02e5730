// Runs one download in a process of its own, to be killed: argv holds root, state directory, server endpoint and arguments.
import { createHost } from '@toolwright/core';
import { createHttpClient } from '@toolwright/safe-http';
import { localWorkspace } from '@toolwright/workspace-local';
import { download } from '../../src/index.ts';

const [root = '', stateDir = '', endpoint = '', args = '{}'] = process.argv.slice(2);
const http = createHttpClient({
  resolve: { 'files.test': ['93.184.216.34'] },
  connect: { '93.184.216.34:80': endpoint },
});
const workspace = localWorkspace(root, { stateDir });
const session = await createHost({ providers: [download({ retryDelayMs: 1 })] }).open({
  workspace,
  services: { http },
});
const result = await session.tool('download', JSON.parse(args));
await session.close();
await http.close();
await workspace.close();
process.stdout.write(`${JSON.stringify({ error: result.error, metadata: result.metadata })}\n`);
