import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@toolwright/core';
import { createHttpClient } from '@toolwright/safe-http';
import { download } from '@toolwright/tool-download';
import { localWorkspace } from '@toolwright/workspace-local';

const server = createServer((_request, response) => response.end('hello'));
server.listen(8093, '127.0.0.1');
await once(server, 'listening');
const root = await mkdtemp(join(tmpdir(), 'readme-'));

// Only public addresses can be reached; this one endpoint on loopback is allowed.
const http = createHttpClient({ allowPrivateHosts: ['127.0.0.1:8093'] });
const host = createHost({ providers: [download()] });
const session = await host.open({ workspace: localWorkspace(root), services: { http } });

const url = 'http://127.0.0.1:8093/greeting.txt';
const result = await session.tool('download', { url });
assert.equal(result.metadata['file_path'], 'greeting.txt');
assert.equal(await readFile(join(root, 'greeting.txt'), 'utf8'), 'hello');

await session.close();
await http.close();
server.close();
