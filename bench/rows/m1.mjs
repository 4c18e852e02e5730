import { ours } from '../harness/packages.mjs';
import { program, sdkClient, startHttp } from '../mcp/echo.mjs';

export const work =
  'MCP calls of `echo`, one after the other. The bar is 0.75 of the calls a second of the raw SDK (2.4), shown as a ratio of times: 1 / 0.75';

const bar = 1.33;
const raw = 'the SDK’s client and its low-level server';
const governed = '`session.invoke` through the kernel and our client, against the SDK’s server';
const served = 'the SDK’s client, against a session served by us, calls through the kernel';

export const comparisons = [
  { row: 'M1.server-stdio', bar, target: 1.11, anchor: raw, ours: served, unit: 'µs' },
  { row: 'M1.server-http', bar, target: 1.11, anchor: raw, ours: served, unit: 'µs' },
  { row: 'M1.client-stdio', bar, target: 0.67, anchor: raw, ours: governed, unit: 'µs' },
  { row: 'M1.client-http', bar, target: 1.11, anchor: raw, ours: governed, unit: 'µs' },
];

const message = 'x'.repeat(100);
const expected = `Echo: ${message}`;

export async function measure(bench) {
  const http = { sdk: await startHttp('sdk-server.mjs'), ours: await startHttp('our-server.mjs') };
  const clients = {
    stdio: await sdkClient(program('sdk-server.mjs', 'stdio')),
    http: await sdkClient(http.sdk.url),
    servedStdio: await sdkClient(program('our-server.mjs', 'stdio')),
    servedHttp: await sdkClient(http.ours.url),
  };
  const session = await openSession({
    stdio: program('sdk-server.mjs', 'stdio'),
    http: { url: http.sdk.url },
  });
  try {
    const calls = {
      'M1.server-stdio': [500, viaSdk(clients.stdio), viaSdk(clients.servedStdio)],
      'M1.server-http': [100, viaSdk(clients.http), viaSdk(clients.servedHttp)],
      'M1.client-stdio': [500, viaSdk(clients.stdio), session.call('stdio')],
      'M1.client-http': [100, viaSdk(clients.http), session.call('http')],
    };
    for (const [row, [count, anchor, governedCall]] of Object.entries(calls)) {
      await bench.compare(row, {
        anchor: () => repeat(count, anchor),
        ours: () => repeat(count, governedCall),
        check: assertSame,
        rounds: 11,
        // Each client has a server of its own, which takes thousands of calls to become as fast as it gets.
        warmup: 15,
        calls: count,
      });
    }
  } finally {
    await Promise.all(Object.values(clients).map((client) => client.close()));
    await session.close();
    http.sdk.stop();
    http.ours.stop();
  }
}

function assertSame(theirs, found) {
  if (theirs !== expected || found !== expected) {
    throw new Error(`the results differ: ${theirs} and ${found}`);
  }
}

async function repeat(calls, call) {
  let last;
  for (let done = 0; done < calls; done += 1) last = await call();
  return last;
}

function viaSdk(client) {
  return async () => {
    const { content } = await client.callTool({ name: 'echo', arguments: { message } });
    return content[0].text;
  };
}

async function openSession(servers) {
  const { createHost, memoryWorkspace } = await ours('core');
  const { mcpEndpoints, mcpServers } = await ours('mcp');
  const { createHttpClient } = await ours('safe-http');
  const trusted = Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, { ...server, trust: 'annotations' }]),
  );
  const http = createHttpClient({ allowPrivateHosts: mcpEndpoints(trusted) });
  const host = createHost({
    providers: [mcpServers(trusted, { http })],
    // What servers say is foreign: under the default the second call would be asked about.
    policy: { preset: 'trusted' },
  });
  const session = await host.open({ workspace: memoryWorkspace({}) });
  await session.ready();
  let id = 0;
  return {
    call: (server) => async () => {
      const result = await session.invoke({
        id: `call-${(id += 1)}`,
        name: `mcp__${server}__echo`,
        arguments: { message },
      });
      return result.output;
    },
    close: async () => {
      await session.close();
      await http.close();
    },
  };
}
