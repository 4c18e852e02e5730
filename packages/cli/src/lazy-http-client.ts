import type { HttpClient } from '@toolwright/core';
import type { Config } from './config/load-config.ts';

/** The session's guarded transport, loaded with its first request: most calls open no URL. */
export function lazyHttpClient(web: NonNullable<Config['web']>): HttpClient {
  let client: Promise<HttpClient> | undefined;
  const load = async (): Promise<HttpClient> =>
    (await import('@toolwright/safe-http')).createHttpClient(web);
  return {
    request: async (request) => (await (client ??= load())).request(request),
    close: async () => (await client)?.close(),
  };
}
