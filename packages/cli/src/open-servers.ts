import { createHost, memoryWorkspace, ToolError, type Session } from '@toolwright/core';
import type { McpDefinitionChange, McpProvider, McpServerStatus } from '@toolwright/mcp';
import { ConfigError } from './config/config-error.ts';
import { loadConfig } from './config/load-config.ts';
import { openGuardedHttp } from './guarded-http.ts';
import { loadMcp } from './load-mcp.ts';
import type { Options } from './options.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** Where one configured server stands. */
export interface ConfiguredServer {
  readonly name: string;
  readonly state: McpServerStatus['state'];
  readonly reason: string | undefined;
  readonly tools: number;
  /** Odd things that do no harm: keys that nothing reads, schemas that cannot be used. */
  readonly warnings: readonly string[];
  readonly changed: readonly McpDefinitionChange[];
}

/** The configured servers, connected to be looked at. */
export interface OpenedServers {
  /** What could not be read or kept of what is known of them. */
  readonly warnings: readonly string[];
  /** In the order of the config. */
  readonly servers: readonly ConfiguredServer[];
  /**
   * Takes over how tools are defined now. Errors: `UsageError` for a tool that there is not, `ConfigError` where it
   * cannot be kept.
   */
  accept(server: string, tools: readonly string[] | undefined): Promise<readonly string[]>;
  close(): Promise<void>;
}

/**
 * Connects the servers that are named, or all that are configured, and waits until each is ready or has failed. Errors:
 * `UsageError` for one that is not configured, `ConfigError` for a config that does not load.
 */
export async function openServers(
  names: readonly string[],
  { options, terminal }: { readonly options: Options; readonly terminal: Terminal },
): Promise<OpenedServers> {
  const { config, secrets } = loadConfig(options.config, terminal);
  const { mcpServers = {}, web = {} } = config;
  const known = Object.keys(mcpServers);
  for (const name of names) {
    if (known.includes(name)) continue;
    throw new UsageError(`No MCP server is configured as ${JSON.stringify(name)}`, { name, known });
  }
  const wanted = Object.fromEntries(
    Object.entries(mcpServers).filter(([name]) => names.length === 0 || names.includes(name)),
  );
  const mcp = await loadMcp(wanted, terminal);
  if (mcp === undefined) {
    return { warnings: [], servers: [], accept: async () => [], close: async () => {} };
  }
  try {
    const http = await openGuardedHttp({
      providers: [],
      mcpEndpoints: mcp.endpoints,
      web,
      env: terminal.env,
    });
    const warnings: string[] = [];
    const provider = mcp.provider(http?.mcpClient, (event) => {
      if (event.type === 'warning') warnings.push(`${event.server}: ${event.message}`);
    });
    const session = await createHost({ providers: [provider], secrets }).open({
      workspace: memoryWorkspace(),
      ...(http === undefined ? {} : { services: http.services }),
    });
    await session.ready();
    return {
      warnings,
      servers: Object.keys(wanted).map((name) => toServer(name, session, provider)),
      accept: async (server, tools) => {
        const names = await accepted(provider, { session, server, tools });
        if (warnings.length > 0) throw new ConfigError(warnings.join('\n'));
        return names;
      },
      close: async () => {
        await session.close();
        await http?.close();
      },
    };
  } catch (error) {
    if (ToolError.isInstance(error)) throw new ConfigError(error.message);
    throw error;
  }
}

/** One whose config cannot be read has no connection, and stands in the surface alone. */
function toServer(name: string, session: Session, provider: McpProvider): ConfiguredServer {
  const status = provider.status(session.id).find(({ server }) => server === name);
  if (status === undefined) {
    const head = `server ${name} failed: `;
    const entry = session.surface().find(({ reason }) => reason?.startsWith(head) === true);
    return {
      name,
      state: 'failed',
      reason: entry?.reason?.slice(head.length),
      tools: 0,
      warnings: [],
      changed: [],
    };
  }
  const { state, reason, toolCount, warnings } = status;
  const changed = provider.changedDefinitions(session.id).filter(({ server }) => server === name);
  return { name, state, reason, tools: toolCount, warnings, changed };
}

async function accepted(
  provider: McpProvider,
  {
    session,
    server,
    tools,
  }: {
    readonly session: Session;
    readonly server: string;
    readonly tools: readonly string[] | undefined;
  },
): Promise<readonly string[]> {
  try {
    return await provider.acceptDefinitions(session.id, server, tools);
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  }
}
