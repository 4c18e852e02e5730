import { afterEach } from 'vitest';
import { createHost, memoryWorkspace } from '@toolwright/core';
import type { HostServices, JsonObject, Session, ToolResult } from '@toolwright/core';
import { createHttpClient } from '@toolwright/safe-http';
import { startHostileServer } from '@toolwright/safe-http/testing';
import type { HostileBehaviour, HostileServer } from '@toolwright/safe-http/testing';
import { parseLink, web } from '../../src/index.ts';
import type { WebOptions } from '../../src/index.ts';

/** A public address that tests send to a server on loopback. */
const PUBLIC = '93.184.216.34';

/** One server as `site.test`, one session. */
export interface WebBench {
  readonly server: HostileServer;
  readonly session: Session;
  /** Calls `web_fetch` on `http://site.test<path>`. */
  fetch(path: string, args?: JsonObject): Promise<ToolResult>;
}

/** How a bench differs from the ordinary one. */
export interface WebBenchOptions extends WebOptions {
  readonly browser?: HostServices['browser'];
  /** Milliseconds since 1970 for the session. */
  readonly clock?: () => number;
}

/** Makes benches that are taken down after each test. */
export function useWebBench(): (
  behaviour: HostileBehaviour,
  options?: WebBenchOptions,
) => Promise<WebBench> {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) {
      await cleanup();
    }
  });
  return async (behaviour, options = {}) => {
    const server = await startHostileServer(behaviour);
    const http = createHttpClient({
      resolve: { 'site.test': [PUBLIC], 'other.test': ['1.1.1.1'] },
      connect: { [`${PUBLIC}:80`]: server.endpoint, '1.1.1.1:80': server.endpoint },
    });
    const session = await createHost({
      providers: [web(options), parseLink()],
      ...(options.clock === undefined ? {} : { clock: options.clock }),
    }).open({
      workspace: memoryWorkspace(),
      services: { http, ...(options.browser === undefined ? {} : { browser: options.browser }) },
    });
    cleanups.push(
      async () => server.close(),
      async () => http.close(),
      async () => session.close(),
    );
    return {
      server,
      session,
      fetch: async (path, args = {}) =>
        session.tool('web_fetch', { url: `http://site.test${path}`, ...args }),
    };
  };
}

/** `type/reason` of a failed result, `ok` of a good one. */
export function outcomeOf(result: ToolResult): string {
  return result.error === null ? 'ok' : `${result.error.type}/${result.error.reason ?? ''}`;
}
