import { afterEach, beforeEach } from 'vitest';
import { ToolError } from '@toolwright/core';
import type { HttpClient, HttpRequest } from '@toolwright/core';
import { createHttpClient } from '../../src/index.ts';
import type { HttpClientOptions } from '../../src/index.ts';
import { serveRoutes, startHostileServer } from '../../src/testing/index.ts';
import type {
  HostileBehaviour,
  HostileServer,
  HostileServerOptions,
} from '../../src/testing/index.ts';

/** A public address that tests send elsewhere. */
export const PUBLIC = '93.184.216.34';

/** What a test file needs of clients and servers; everything is closed after each test. */
export interface TestNet {
  /** A listener that nobody may reach: a test ends by looking at its count. */
  readonly canary: HostileServer;
  client(options?: HttpClientOptions): HttpClient;
  serve(behaviour: HostileBehaviour, options?: HostileServerOptions): Promise<HostileServer>;
}

/** Registers set-up and clean-up of one test file. */
export function useTestNet(): TestNet {
  const clients: HttpClient[] = [];
  const servers: HostileServer[] = [];
  beforeEach(async () => {
    servers.push(await startHostileServer(serveRoutes({ '/': { body: 'secret' } })));
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map(async (client) => client.close()));
    await Promise.all(servers.splice(0).map(async (server) => server.close()));
  });
  return {
    get canary() {
      const [canary] = servers;
      if (canary === undefined) {
        throw new TypeError('The canary lives inside a test.');
      }
      return canary;
    },
    client: (options) => {
      const client = createHttpClient(options);
      clients.push(client);
      return client;
    },
    serve: async (behaviour, options) => {
      const server = await startHostileServer(behaviour, options);
      servers.push(server);
      return server;
    },
  };
}

/** Options under which `public.test` is served by `server`, on port 80. */
export function publicTest(server: HostileServer): HttpClientOptions {
  return { resolve: { 'public.test': [PUBLIC] }, connect: { [`${PUBLIC}:80`]: server.endpoint } };
}

/** `status body`, or `type/reason` of the typed failure. */
export async function outcome(client: HttpClient, request: HttpRequest | string): Promise<string> {
  try {
    const response = await client.request(typeof request === 'string' ? { url: request } : request);
    return `${String(response.status)} ${Buffer.from(await readAll(response.body)).toString()}`;
  } catch (error) {
    if (ToolError.isInstance(error)) {
      return `${error.type}/${error.reason ?? ''}`;
    }
    throw error;
  }
}

/** The whole of a body. */
export async function readAll(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) {
    // A copy: chunks of large bodies are valid only until the next one.
    chunks.push(Uint8Array.from(chunk));
  }
  return Buffer.concat(chunks);
}
