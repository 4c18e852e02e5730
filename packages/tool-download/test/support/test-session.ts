import { createHash } from 'node:crypto';
import { afterEach } from 'vitest';
import { createHost, memoryWorkspace } from '@toolwright/core';
import type { HttpClient, JsonObject, Session, ToolResult, Workspace } from '@toolwright/core';
import { createHttpClient } from '@toolwright/safe-http';
import type { HttpClientOptions } from '@toolwright/safe-http';
import { startHostileServer } from '@toolwright/safe-http/testing';
import type { HostileBehaviour, HostileServer } from '@toolwright/safe-http/testing';
import { download } from '../../src/index.ts';

/** A public address that tests send to a server on loopback. */
const PUBLIC = '93.184.216.34';

/** One server, one session, one workspace. */
export interface DownloadBench {
  readonly server: HostileServer;
  readonly session: Session;
  readonly workspace: Workspace;
  /** Calls `download` on `http://files.test<path>`. */
  download(
    path: string,
    args?: JsonObject,
    options?: { readonly signal?: AbortSignal },
  ): Promise<ToolResult>;
  /** Bytes of bodies that the tool has taken so far. */
  taken(): number;
  /** Every file of the workspace with its content, as latin1. */
  files(): Promise<Readonly<Record<string, string>>>;
}

/** Makes benches that are taken down after each test. */
export function useDownloadBench(): (
  behaviour: HostileBehaviour,
  options?: {
    readonly files?: Readonly<Record<string, string>>;
    readonly http?: HttpClientOptions;
  },
) => Promise<DownloadBench> {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) {
      await cleanup();
    }
  });
  return async (behaviour, options = {}) => {
    const server = await startHostileServer(behaviour);
    let taken = 0;
    const client = createHttpClient({
      resolve: { 'files.test': [PUBLIC] },
      connect: { [`${PUBLIC}:80`]: server.endpoint },
      ...options.http,
    });
    const http: HttpClient = {
      request: async (request) => {
        const response = await client.request(request);
        return {
          ...response,
          body: counted(response.body, (bytes) => {
            taken += bytes;
          }),
        };
      },
      close: async () => client.close(),
    };
    const workspace: Workspace = {
      ...memoryWorkspace({ files: options.files ?? {} }),
      local: { root: '/workspace' },
    };
    const session = await createHost({ providers: [download({ retryDelayMs: 1 })] }).open({
      workspace,
      services: { http },
    });
    cleanups.push(
      async () => server.close(),
      async () => http.close(),
      async () => session.close(),
    );
    return {
      server,
      session,
      workspace,
      download: async (path, args = {}, call = {}) =>
        session.tool('download', { url: `http://files.test${path}`, ...args }, call),
      taken: () => taken,
      files: async () => readTree(workspace),
    };
  };
}

/** Tells of a chunk when the consumer comes back for the next one. */
async function* counted(
  body: AsyncIterable<Uint8Array>,
  onTaken: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of body) {
    yield chunk;
    onTaken(chunk.length);
  }
}

async function readTree(workspace: Workspace): Promise<Record<string, string>> {
  const tree: Record<string, string> = {};
  for await (const entries of workspace.walker?.walk() ?? []) {
    for (const { path } of entries) {
      const reader = await workspace.files?.openRead(path);
      const bytes = await reader?.read(0, reader.stat.size);
      tree[path] = Buffer.from(bytes ?? []).toString('latin1');
    }
  }
  return tree;
}

/** `type/reason` of a failed result, `ok` of a good one. */
export function outcomeOf(result: ToolResult): string {
  return result.error === null ? 'ok' : `${result.error.type}/${result.error.reason ?? ''}`;
}

/** Bytes that look like no pattern, the same for the same seed. */
export function noise(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

/** SHA-256 in hex. */
export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
