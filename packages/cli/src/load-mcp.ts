import type { HttpClient, Provider } from '@toolwright/core';
import type { Config } from './config/load-config.ts';

/** The configured MCP servers, ready to become a provider. */
export interface LoadedMcp {
  /** Private endpoints of the servers that are reached by a URL; undefined when none is. */
  readonly endpoints: readonly string[] | undefined;
  provider(http: HttpClient | undefined): Provider;
}

/** Loads the MCP client where servers are configured; undefined where none is. */
export async function loadMcp(
  servers: NonNullable<Config['mcpServers']>,
): Promise<LoadedMcp | undefined> {
  if (Object.keys(servers).length === 0) return undefined;
  const { mcpEndpoints, mcpServers } = await import('@toolwright/mcp');
  const isReached = Object.values(servers).some((server) => server['command'] === undefined);
  return {
    endpoints: isReached ? mcpEndpoints(servers) : undefined,
    // Nobody at the command line answers questions of servers.
    provider: (http) =>
      mcpServers(servers, { elicitation: false, ...(http === undefined ? {} : { http }) }),
  };
}
