import {
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ClientCapabilities,
  type LoggingLevel,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { artifactTemplate, listArtifacts, readArtifact } from './artifact-resources.ts';
import { callTool, type CallRequest } from './call-tool.ts';
import { instructionsFor } from './instructions.ts';
import { isLogged } from './log-levels.ts';
import { pageOf } from './page-of.ts';
import type { ProviderRequest, ServeOptions } from './serve-options.ts';
import type { ServedSession, SessionChange } from './served-session.ts';
import { defaultServerInfo } from './server-info.ts';

/** Values that one completion sends, at most. */
const maxCompletions = 100;

/** Resources that one connection subscribes to, at most. */
const maxSubscriptions = 1_000;

/** One protocol server, and how its client is told of changes. */
export interface ProtocolServer {
  readonly server: Server;
  readonly tell: (change: SessionChange) => Promise<void>;
  /** Makes a call of the older protocol, whichever way it has come. */
  readonly call: (request: CallRequest) => Promise<object>;
}

/** A protocol server over a session: of a connection, or of a single request in the newer protocol over HTTP. */
export function createServer(
  served: ServedSession,
  options: ServeOptions,
  era: 'legacy' | 'modern',
): ProtocolServer {
  const isModern = era === 'modern';
  const { prompts, resources, completions } = options;
  const instructions = instructionsFor(served.session, options.instructions);
  const server = new Server(options.serverInfo ?? defaultServerInfo(), {
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      ...(prompts === undefined ? {} : { prompts: { listChanged: true } }),
      ...(completions === undefined ? {} : { completions: {} }),
      // In the newer protocol a request says by itself what it wants to be told; the SDK sends it under this alone.
      logging: {},
    },
    ...(instructions === '' ? {} : { instructions }),
  });
  server.onerror = (error) => options.onError?.(error);
  const subscribed = new Set<string>();
  let isReady = isModern;
  let level: LoggingLevel = options.logLevel ?? 'warning';
  if (!isModern) {
    server.oninitialized = () => {
      isReady = true;
    };
    server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
      if (subscribed.size >= maxSubscriptions) {
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `A connection subscribes to at most ${maxSubscriptions} resources.`,
        );
      }
      subscribed.add(uri);
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
      subscribed.delete(uri);
      return {};
    });
    server.setRequestHandler('logging/setLevel', ({ params }) => {
      ({ level } = params);
      return {};
    });
    server.setNotificationHandler('notifications/roots/list_changed', () => served.roots.expire());
  }
  server.setRequestHandler('tools/list', async ({ params }) => {
    await served.ready();
    return served.tools.page(params?.cursor);
  });
  const call = (request: CallRequest, context?: ServerContext) =>
    callTool(
      served,
      {
        isModern,
        capabilities:
          context !== undefined && isModern
            ? readEnvelope<ClientCapabilities>(context, CLIENT_CAPABILITIES_META_KEY)
            : server.getClientCapabilities(),
        log: async (given, data) => {
          const wanted = context !== undefined && isModern ? requestedLevel(context) : level;
          if (wanted === undefined || !isLogged(given, wanted)) return;
          try {
            await request.notify({
              method: 'notifications/message',
              params: { level: given, data },
            });
          } catch (error) {
            // A tool that says something to a client that has gone has not failed by that.
            options.onError?.(error instanceof Error ? error : new Error(String(error)));
          }
        },
      },
      request,
    );
  server.setRequestHandler('tools/call', ({ params }, context) =>
    call(toCallRequest(params, context), context),
  );
  server.setRequestHandler('resources/list', async ({ params }) => {
    const all = [...((await resources?.list()) ?? []), ...(await listArtifacts(served.session))];
    const { items, next } = pageOf(all, params?.cursor, 'resources/list');
    return { resources: items, ...next };
  });
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [...((await resources?.templates?.()) ?? []), artifactTemplate],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
    const found =
      (await readArtifact(served.session, uri)) ??
      (await resources?.read(uri, toProviderRequest(context)));
    if (found === undefined) throw new ResourceNotFoundError(uri);
    return found;
  });
  if (prompts !== undefined) {
    server.setRequestHandler('prompts/list', async () => ({
      prompts: [...(await prompts.list())],
    }));
    server.setRequestHandler('prompts/get', async ({ params }, context) => {
      const { name, arguments: args = {} } = params;
      const found = await prompts.get(name, args, toProviderRequest(context));
      if (found !== undefined) return found;
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no prompt ${JSON.stringify(name)}; prompts/list has their names.`,
      );
    });
  }
  if (completions !== undefined) {
    server.setRequestHandler('completion/complete', async ({ params }) => {
      const values = await completions(params);
      return {
        completion: {
          values: values.slice(0, maxCompletions),
          total: values.length,
          hasMore: values.length > maxCompletions,
        },
      };
    });
  }
  const tell = async (change: SessionChange): Promise<void> => {
    // Before the handshake is over a client must not be told anything.
    if (!isReady) return;
    if (typeof change !== 'string') {
      // In the newer protocol the connection's entry knows who listens to what.
      if (isModern || subscribed.has(change.resource)) {
        await server.sendResourceUpdated({ uri: change.resource });
      }
    } else if (change === 'tools') await server.sendToolListChanged();
    else if (change === 'resources') await server.sendResourceListChanged();
    else if (prompts !== undefined) await server.sendPromptListChanged();
  };
  return { server, tell, call };
}

function toCallRequest(params: CallRequest['params'], { mcpReq }: ServerContext): CallRequest {
  return {
    params,
    signal: mcpReq.signal,
    progressToken: mcpReq._meta?.progressToken,
    state: mcpReq.requestState<string>(),
    answers: mcpReq.inputResponses ?? {},
    send: (request, options) => mcpReq.send(request, options),
    notify: (notification) => mcpReq.notify(notification),
  };
}

function toProviderRequest({ mcpReq }: ServerContext): ProviderRequest {
  return { inputResponses: mcpReq.inputResponses, signal: mcpReq.signal };
}

function requestedLevel(context: ServerContext): LoggingLevel | undefined {
  return readEnvelope<LoggingLevel>(context, LOG_LEVEL_META_KEY);
}

/** The SDK has validated the envelope of a request before a handler sees it. */
function readEnvelope<T>({ mcpReq }: ServerContext, key: string): T | undefined {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
  return envelope[key] as T | undefined;
}
