import { createHost, defineProvider, memoryWorkspace } from '@toolwright/core';
import { serveHttp } from '../../src/server/index.ts';
import { askingTools } from './asking-tools.ts';
import { contentTools } from './content-tools.ts';
import { completions, prompts, resources } from './fixture-providers.ts';

// What the conformance suite asks of a server, as an application on the kernel. Prints its URL.
const { url } = await serveHttp(
  (client) =>
    createHost({
      providers: [
        defineProvider({
          name: 'conformance',
          version: '1.0.0',
          tools: [...contentTools, ...askingTools(client)],
        }),
      ],
      policy: { preset: 'trusted' },
    }).open({
      workspace: memoryWorkspace(),
      approver: client.approver,
      asker: client.asker,
    }),
  { host: 'localhost', prompts, resources, completions },
);
process.stdout.write(`${url}\n`);
