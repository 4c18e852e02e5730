import { homedir } from 'node:os';
import { join } from 'node:path';
import type { HttpClient } from '@toolwright/core';
import type { McpEvent, McpProvider } from '@toolwright/mcp';
import { directoryState } from '@toolwright/workspace-local';
import type { Config } from './config/load-config.ts';
import { writeLine, type Terminal } from './terminal.ts';

/** The configured MCP servers, ready to become a provider. */
export interface LoadedMcp {
  /** Private endpoints of the servers that are reached by a URL; undefined when none is. */
  readonly endpoints: readonly string[] | undefined;
  provider(http: HttpClient | undefined, onEvent: (event: McpEvent) => void): McpProvider;
}

/** Loads the MCP client where servers are configured; undefined where none is. */
export async function loadMcp(
  servers: NonNullable<Config['mcpServers']>,
  terminal: Terminal,
): Promise<LoadedMcp | undefined> {
  if (Object.keys(servers).length === 0) return undefined;
  const { mcpEndpoints, mcpServers } = await import('@toolwright/mcp');
  const isReached = Object.values(servers).some((server) => server['command'] === undefined);
  return {
    endpoints: isReached ? mcpEndpoints(servers) : undefined,
    // Nobody at the command line answers questions of servers.
    provider: (http, onEvent) =>
      mcpServers(servers, {
        elicitation: false,
        state: directoryState(serversDir(terminal.env)),
        onEvent,
        ...(http === undefined ? {} : { http }),
      }),
  };
}

/** What is known of servers is known in every workspace: they stand in the user's config. */
function serversDir(env: Terminal['env']): string {
  return join(env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state'), 'toolwright', 'servers');
}

/** Tells on standard error what has changed in a server's tools. */
export function tellChange(event: McpEvent, terminal: Terminal): void {
  if (event.type !== 'tool_definition_changed') return;
  const { server, tool, changed } = event;
  const line = `The MCP server ${server} has changed ${tool} (${changed.join(', ')}); look at it: toolwright servers ${server}`;
  writeLine(terminal.stderr, line).catch(() => {});
}
