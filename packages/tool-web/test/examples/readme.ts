import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createHost, memoryWorkspace } from '@toolwright/core';
import { createHttpClient } from '@toolwright/safe-http';
import { web } from '@toolwright/tool-web';

const page = '<title>Hello</title><main><p>Read the <a href="/docs">docs</a>.</p></main>';
const server = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
});
server.listen(8094, '127.0.0.1');
await once(server, 'listening');

// Only public addresses can be reached; this one endpoint on loopback is allowed.
const http = createHttpClient({ allowPrivateHosts: ['127.0.0.1:8094'] });
const host = createHost({ providers: [web()] });
const session = await host.open({ workspace: memoryWorkspace(), services: { http } });

const result = await session.webFetch('http://127.0.0.1:8094/');
assert.equal(result.output, '# Hello\n\nRead the [docs](http://127.0.0.1:8094/docs).');

await session.close();
await http.close();
server.close();
