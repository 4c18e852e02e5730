import type {
  ClientCapabilities,
  Client,
  CreateMessageRequest,
  CreateMessageResult,
} from '@modelcontextprotocol/client';
import { pathToFileURL } from 'node:url';
import { basename } from 'node:path';
import {
  defineProvider,
  ToolError,
  type ConnectContext,
  type HttpClient,
  type HttpEgressFinding,
  type NoHelpers,
  type Provider,
  type ProviderConnection,
  type StateStore,
  type Tool,
} from '@toolwright/core';
import type { ActiveCall } from './call-tool.ts';
import { clientInfo } from './client-info.ts';
import { elicit } from './elicit.ts';
import { toServerEntryName } from './export-name.ts';
import { guardedFetch } from './guarded-fetch.ts';
import type { McpDefinitionChange, McpEvent, McpServerStatus } from './mcp-event.ts';
import { openLink, type McpAuth } from './open-link.ts';
import { createPinStore } from './pin-store.ts';
import { resourceTools } from './resource-tools.ts';
import { readServers, type McpServerConfig, type ServerSettings } from './server-config.ts';
import { ServerConnection } from './server-connection.ts';

/** How a host connects MCP servers; everything is optional. */
export interface McpServersOptions {
  /** The provider's name. Default `mcp`. */
  readonly name?: string;
  /**
   * The client for requests to the configured URLs, such as one that admits their private endpoints (`mcpEndpoints`).
   * Everything else, and by default these too, goes through the session's own.
   */
  readonly http?: HttpClient;
  /** Who authorises requests to a server: a token source, or an OAuth client. Default nobody. */
  readonly auth?: (server: { readonly name: string; readonly url: URL }) => McpAuth | undefined;
  /** Whether servers may put questions to the person at the session, during a call. Default true. */
  readonly elicitation?: boolean;
  /** Answers servers that want a model's completion. Default none: they are told that there is no such thing. */
  readonly sampling?: (
    request: { readonly server: string; readonly params: CreateMessageRequest['params'] },
    options: { readonly signal: AbortSignal },
  ) => Promise<CreateMessageResult>;
  /** Adds tools that list and read the servers' resources and prompts. Default false. */
  readonly resources?: boolean;
  /**
   * Keeps what is known of each tool's definition, so that one that changes between two processes is noticed too. Give
   * it the state that the sessions get. Default none: each session trusts what it sees first.
   */
  readonly state?: StateStore;
  /** Told of everything that happens with the servers. What it throws is ignored. */
  readonly onEvent?: (event: McpEvent, session: { readonly id: string }) => void;
}

/** A provider of the tools of MCP servers, with what a host may want to know and do beside calling them. */
export interface McpProvider extends Provider<NoHelpers> {
  /** Where the servers of a session stand; empty for a session that is not open. */
  status(sessionId: string): readonly McpServerStatus[];
  /** Connects one server of a session anew, such as after it was authorized. Errors: `TypeError` for an unknown one. */
  reconnect(sessionId: string, server: string): Promise<void>;
  /**
   * Finishes an authorization that the host's OAuth client was asked to begin (`redirectToAuthorization`), with the
   * parameters of the redirect, and connects. The host compares `state` before. Errors: those of the exchange, and
   * `TypeError` for an unknown server.
   */
  finishAuth(sessionId: string, server: string, params: URLSearchParams): Promise<void>;
  /** The tools of a session whose definitions are not the known ones, with both; what a person has to look at. */
  changedDefinitions(sessionId: string): readonly McpDefinitionChange[];
  /**
   * Takes the tools of a server as it describes them now for the known ones, after a person has looked at what changed
   * (`tool_definition_changed`): its word on them counts again. With `tools`, only those, by either of their names.
   * Resolves to the names of those that had changed. Errors: `TypeError` for an unknown server or tool.
   */
  acceptDefinitions(
    sessionId: string,
    server: string,
    tools?: readonly string[],
  ): Promise<readonly string[]>;
}

/**
 * MCP servers as tools: each tool of each server becomes `mcp__<server>__<tool>`, called through the whole kernel. All
 * servers are started side by side when a session opens; one that is slow, broken or hostile costs the others nothing
 * and is listed with its reason. Results are external, and untrusted.
 */
export function mcpServers(
  servers: Readonly<Record<string, McpServerConfig>>,
  options: McpServersOptions = {},
): McpProvider {
  const readings = readServers(servers);
  const sessions = new Map<string, Connections>();
  const verdicts = new Map<string, { readonly legacyUntil: number }>();
  const provider = defineProvider({
    name: options.name ?? 'mcp',
    version: clientInfo.version,
    tools:
      options.resources === true
        ? resourceTools({
            settings: readings.flatMap((reading) => (reading.ok ? [reading.settings] : [])),
            serversOf: (id) => sessions.get(id)?.servers ?? [],
          })
        : [],
    connect: (context) => {
      const connections = new Connections(readings, { options, context, verdicts });
      sessions.set(context.sessionId, connections);
      void connections.closed.then(() => sessions.delete(context.sessionId));
      return connections;
    },
  });
  const named = (sessionId: string, name: string): ServerConnection => {
    const found = sessions.get(sessionId)?.servers.find(({ settings }) => settings.name === name);
    if (found !== undefined) return found;
    throw new TypeError(`This session has no MCP server named ${name}.`);
  };
  return Object.freeze({
    ...provider,
    status: (sessionId: string) =>
      (sessions.get(sessionId)?.servers ?? []).map((server) => server.status()),
    reconnect: async (sessionId: string, server: string) => named(sessionId, server).reconnect(),
    finishAuth: async (sessionId: string, server: string, params: URLSearchParams) =>
      named(sessionId, server).finishAuth(params),
    changedDefinitions: (sessionId: string) =>
      (sessions.get(sessionId)?.servers ?? []).flatMap((server) => server.changedDefinitions()),
    acceptDefinitions: async (
      ...[sessionId, server, tools]: Parameters<McpProvider['acceptDefinitions']>
    ) => named(sessionId, server).acceptDefinitions(tools),
  });
}

interface ConnectionsOptions {
  readonly options: McpServersOptions;
  readonly context: ConnectContext;
  readonly verdicts: Map<string, { readonly legacyUntil: number }>;
}

/** All servers of one session, as the kernel sees them. */
class Connections implements ProviderConnection {
  readonly servers: readonly ServerConnection[];
  readonly ready: Promise<void>;
  readonly closed: Promise<void>;
  readonly #unusable: readonly { readonly name: string; readonly reason: string }[];
  readonly #listeners = new Set<() => void>();
  #markClosed: () => void = () => {};

  constructor(readings: ReturnType<typeof readServers>, made: ConnectionsOptions) {
    this.closed = new Promise((resolve) => {
      this.#markClosed = resolve;
    });
    this.#unusable = readings.flatMap((reading) =>
      reading.ok
        ? []
        : [
            {
              name: toServerEntryName(reading.name),
              reason: `server ${reading.name} failed: ${reading.reason}`,
            },
          ],
    );
    this.servers = readings.flatMap((reading) =>
      reading.ok ? [toConnection(reading.settings, made, () => this.#tell())] : [],
    );
    this.ready = allSettled(this.servers);
  }

  get tools(): readonly Tool[] {
    const taken = new Map<string, Tool>();
    for (const { tools } of this.servers) {
      for (const { tool } of tools) if (!taken.has(tool.name)) taken.set(tool.name, tool);
    }
    return [...taken.values()];
  }

  get absent(): readonly { readonly name: string; readonly reason: string }[] {
    const absent = [...this.#unusable];
    const taken = new Set<string>();
    for (const server of this.servers) {
      const { trouble, settings } = server;
      if (trouble !== undefined)
        absent.push({ name: toServerEntryName(settings.name), reason: trouble });
      absent.push(...server.dropped);
      for (const { tool } of server.tools) {
        if (taken.has(tool.name)) {
          const reason = `name_collision: another server's tool has this name; server ${settings.name} comes later`;
          absent.push({ name: tool.name, reason });
        }
        taken.add(tool.name);
      }
    }
    return absent;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.servers.map((server) => server.close()));
    this.#listeners.clear();
    this.#markClosed();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

async function allSettled(servers: readonly ServerConnection[]): Promise<void> {
  await Promise.all(servers.map(({ settled }) => settled));
}

function toConnection(
  settings: ServerSettings,
  { options, context, verdicts }: ConnectionsOptions,
  onChange: () => void,
): ServerConnection {
  const { endpoint, name: server } = settings;
  const onEvent = (event: McpEvent): void => {
    try {
      options.onEvent?.(event, { id: context.sessionId });
    } catch {
      // A host's log that fails is no reason to lose a server.
    }
  };
  const warn = (message: string): void => onEvent({ type: 'warning', server, message });
  return new ServerConnection({
    settings,
    onChange,
    onEvent,
    pins: options.state === undefined ? undefined : createPinStore(options.state, settings, warn),
    open: async ({ onNotification, onClose, onAuthorizer, active, signal }) =>
      openLink({
        settings,
        capabilities: capabilitiesOf(settings, options),
        prepare: (client) => prepare(client, { settings, options, active }),
        onNotification,
        onClose,
        onAuthorizer,
        signal,
        verdicts,
        auth:
          endpoint.kind === 'http'
            ? options.auth?.({ name: settings.name, url: endpoint.url })
            : undefined,
        fetch: (kind, onStreamLost) => {
          if (endpoint.kind !== 'http') throw new TypeError('Only a URL is fetched from.');
          const general = context.services.http;
          const admitted = options.http ?? general;
          if (admitted === undefined) {
            throw new ToolError('unsupported', 'the session offers no http service', {
              reason: 'http',
            });
          }
          return guardedFetch({
            url: endpoint.url,
            admitted,
            general,
            kind,
            maxMessageBytes: settings.maxMessageBytes,
            onStreamLost,
            onEgress: (_body, finding) => askAboutEgress(finding, active),
          });
        },
      }),
  });
}

/** What looks like data on its way out is the affair of the call that sends it. */
async function askAboutEgress(
  finding: HttpEgressFinding,
  active: ReadonlySet<ActiveCall>,
): Promise<void> {
  const call = [...active].at(-1);
  if (call === undefined) {
    throw new ToolError('permission_denied', `${finding.message} The request was not sent.`, {
      reason: 'egress',
    });
  }
  await call.context.admit({ kind: 'unknown', target: `${finding.target} (${finding.message})` });
}

function capabilitiesOf(settings: ServerSettings, options: McpServersOptions): ClientCapabilities {
  return {
    ...(options.elicitation === false
      ? {}
      : { elicitation: { form: { applyDefaults: true }, url: {} } }),
    ...(options.sampling === undefined ? {} : { sampling: {} }),
    ...(settings.roots.length === 0 ? {} : { roots: {} }),
  };
}

function prepare(
  client: Client,
  {
    settings,
    options,
    active,
  }: {
    readonly settings: ServerSettings;
    readonly options: McpServersOptions;
    readonly active: ReadonlySet<ActiveCall>;
  },
): void {
  const { sampling } = options;
  if (options.elicitation !== false) {
    client.setRequestHandler('elicitation/create', async (request) =>
      elicit(settings.name, request.params, active),
    );
  }
  if (sampling !== undefined) {
    client.setRequestHandler('sampling/createMessage', async (request, context) =>
      sampling(
        { server: settings.name, params: request.params },
        { signal: context.mcpReq.signal },
      ),
    );
  }
  if (settings.roots.length > 0) {
    client.setRequestHandler('roots/list', async () => ({ roots: settings.roots.map(toRoot) }));
  }
}

function toRoot(root: string): { readonly uri: string; readonly name: string } {
  const url = root.startsWith('file:') ? new URL(root) : pathToFileURL(root);
  return { uri: url.href, name: basename(url.pathname) };
}
