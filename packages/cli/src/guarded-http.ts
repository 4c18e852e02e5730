import type { Hooks, HostServices, HttpClient, Provider } from '@toolwright/core';
import type { Config } from './config/load-config.ts';
import { openGuardedBrowser } from './guarded-browser.ts';
import type { Terminal } from './terminal.ts';

/** The session's way to the network, and the hooks through which it learns what results have shown. */
export interface GuardedHttp {
  /** The guarded transport, and the browser whose traffic goes through it where the config enables one. */
  readonly services: Pick<HostServices, 'http' | 'browser'>;
  /** The same transport for the configured MCP servers alone: it admits their private endpoints too. */
  readonly mcpClient: HttpClient;
  readonly hooks: Hooks;
  /** Lets go of connections and of a browser that runs. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the transport where a loaded tool can use it: most calls open no URL, and need not wait for its code. Requests
 * that would carry out a secret of the environment, or content of earlier results in disguise, are asked about. Errors:
 * `TypeError` and `ToolError` for `web` settings that cannot be, `ConfigError` where no browser is found.
 */
export async function openGuardedHttp(options: {
  readonly providers: readonly Provider[];
  /** Private endpoints of configured MCP servers; undefined when none of them is reached by a URL. */
  readonly mcpEndpoints: readonly string[] | undefined;
  readonly web: NonNullable<Config['web']>;
  readonly env: Terminal['env'];
}): Promise<GuardedHttp | undefined> {
  const isNeeded = options.providers.some(({ tools }) =>
    tools.some(({ requires, uses }) => requires.includes('http') || uses.includes('http')),
  );
  if (!isNeeded && options.mcpEndpoints === undefined) return undefined;
  const { createEgressGuard, createHttpClient, secretsOfEnvironment } =
    await import('@toolwright/safe-http');
  const egress = createEgressGuard({ secrets: secretsOfEnvironment(options.env) });
  const { mcpEndpoints = [] } = options;
  const { browser: wanted, ...web } = options.web;
  const http = createHttpClient({ ...web, egress });
  const allowPrivateHosts = [...(web.allowPrivateHosts ?? []), ...mcpEndpoints];
  const mcpClient =
    mcpEndpoints.length === 0 ? http : createHttpClient({ ...web, allowPrivateHosts, egress });
  const browser = await openGuardedBrowser(wanted, { http, env: options.env });
  return {
    services: { http, ...(browser === undefined ? {} : { browser }) },
    mcpClient,
    hooks: egress.hooks,
    close: async () => {
      await browser?.close();
      await Promise.all([http.close(), mcpClient.close()]);
    },
  };
}
