import {
  Client,
  SdkError,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type AuthProvider,
  type ClientCapabilities,
  type FetchLike,
  type OAuthClientProvider,
  type Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { ToolError } from '@toolwright/core';
import { clientInfo } from './client-info.ts';
import type { ServerSettings } from './server-config.ts';
import { StdioTransport, type ProcessFacts } from './stdio-transport.ts';
import { untilAborted } from './until-aborted.ts';
import { WireTap } from './wire-tap.ts';

/** Who a server is authorised by: a plain token source, or a whole OAuth client. */
export type McpAuth = AuthProvider | OAuthClientProvider;

/** A live connection to one server. */
export interface Link {
  readonly client: Client;
  readonly wire: WireTap;
  readonly kind: 'stdio' | 'http' | 'sse';
  readonly era: 'legacy' | 'modern';
  /** What is known of the process; only over stdio. */
  facts(): ProcessFacts | undefined;
  close(): Promise<void>;
}

/** What a connection is made from. */
export interface LinkOptions {
  readonly settings: ServerSettings;
  readonly capabilities: ClientCapabilities;
  /** Registers handlers before the client connects. */
  readonly prepare: (client: Client) => void;
  readonly onNotification: (method: string, params: unknown) => void;
  /** The connection has ended, by whomever. */
  readonly onClose: () => void;
  /** Makes the way to the network of one connection; `standby` guards the stream that the server may keep open. */
  readonly fetch: (kind: 'streamable' | 'sse', onStreamLost: () => void) => FetchLike;
  readonly auth: McpAuth | undefined;
  /** Told how an authorization that this attempt begins is finished, with the parameters of its redirect. */
  readonly onAuthorizer: (finish: (params: URLSearchParams) => Promise<void>) => void;
  readonly signal: AbortSignal;
  /** Keeps the answer to whether a program speaks the modern protocol, so that it is asked once. */
  readonly verdicts: Map<string, { readonly legacyUntil: number }>;
}

/** The part of `connectTimeoutMs` in which a program has to start and answer before it is taken for an older one. */
const PROBE_PART = 1 / 3;
/** Milliseconds for which a program counts as an older one without being asked again. */
const VERDICT_MS = 24 * 60 * 60 * 1_000;
/** Milliseconds that a server has to take note of the end of a session. */
const TERMINATE_MS = 500;

const modern = '2026-07-28';

/** Connects to a server. Errors: those of the transport, within `connectTimeoutMs`. */
export async function openLink(options: LinkOptions): Promise<Link> {
  const { endpoint, protocol } = options.settings;
  if (endpoint.kind === 'stdio') return openStdio(options);
  if (endpoint.flavour === 'sse') return openSse(options);
  try {
    return await openStreamable(options, protocol === 'legacy' ? 'legacy' : modeOf(protocol));
  } catch (error) {
    if (endpoint.flavour !== 'any' || !isOlderTransport(error)) throw error;
    return await openSse(options).catch((second: unknown) => {
      throw new ToolError(
        'transport',
        `${messageOf(error)}; the older HTTP+SSE transport failed too: ${messageOf(second)}`,
        { reason: 'connect', cause: error },
      );
    });
  }
}

function modeOf(protocol: 'auto' | typeof modern): VersionNegotiationMode {
  return protocol === 'auto' ? 'auto' : { pin: modern };
}

async function openStdio(options: LinkOptions): Promise<Link> {
  const { settings, verdicts } = options;
  const { endpoint, protocol } = settings;
  if (endpoint.kind !== 'stdio') throw new TypeError('A program has a command.');
  const make = () => new StdioTransport(endpoint, settings.maxMessageBytes);
  if (protocol === 'legacy') return connect(options, { transport: make(), mode: 'legacy' });
  if (protocol === modern) return connect(options, { transport: make(), mode: { pin: modern } });
  const key = JSON.stringify(endpoint);
  if ((verdicts.get(key)?.legacyUntil ?? 0) > Date.now()) {
    return connect(options, { transport: make(), mode: 'legacy' });
  }
  try {
    // A program that exits on a question that it does not know takes only this one process along.
    const probeMs = Math.ceil(settings.connectTimeoutMs * PROBE_PART);
    return await connect(options, { transport: make(), mode: { pin: modern }, probeMs });
  } catch (error) {
    if (options.signal.aborted || isSpawnError(error)) throw error;
    verdicts.set(key, { legacyUntil: Date.now() + VERDICT_MS });
    return connect(options, { transport: make(), mode: 'legacy' });
  }
}

async function openStreamable(options: LinkOptions, mode: VersionNegotiationMode): Promise<Link> {
  const { endpoint } = options.settings;
  if (endpoint.kind !== 'http') throw new TypeError('A URL is needed.');
  const transport = new StreamableHTTPClientTransport(endpoint.url, {
    fetch: options.fetch('streamable', () => {}),
    requestInit: { headers: { ...endpoint.headers } },
    ...(options.auth === undefined ? {} : { authProvider: options.auth }),
  });
  options.onAuthorizer((params) => transport.finishAuth(params));
  return connect(options, {
    transport,
    mode,
    terminate: async () => {
      if (transport.sessionId === undefined) return;
      // Servers that keep no sessions, or have forgotten this one, say 404 or 405.
      await within(
        transport.terminateSession().catch(() => {}),
        TERMINATE_MS,
      );
    },
  });
}

async function openSse(options: LinkOptions): Promise<Link> {
  const { endpoint } = options.settings;
  if (endpoint.kind !== 'http') throw new TypeError('A URL is needed.');
  let close = (): void => {};
  const transport = new SSEClientTransport(endpoint.url, {
    fetch: options.fetch('sse', () => close()),
    requestInit: { headers: { ...endpoint.headers } },
    ...(options.auth === undefined ? {} : { authProvider: options.auth }),
  });
  options.onAuthorizer((params) => transport.finishAuth(params));
  // All answers come over the one stream: when it ends, so does the connection.
  close = () => void transport.close();
  return connect(options, { transport, mode: 'legacy', kind: 'sse' });
}

interface Attempt {
  readonly transport: Transport;
  readonly mode: VersionNegotiationMode;
  readonly probeMs?: number;
  readonly kind?: 'sse';
  readonly terminate?: () => Promise<void>;
}

async function connect(options: LinkOptions, attempt: Attempt): Promise<Link> {
  const { settings, signal } = options;
  const { transport, mode } = attempt;
  const timeout = settings.connectTimeoutMs;
  let isOpen = false;
  const wire = new WireTap(transport, options.onNotification);
  const client = new Client(
    { ...clientInfo },
    {
      capabilities: options.capabilities,
      versionNegotiation: { mode, probe: { timeoutMs: attempt.probeMs ?? timeout } },
      // Output schemas are checked by us, leniently: a schema that cannot be compiled costs no result.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({
          valid: true,
          // The validator of the SDK's type says that it narrows; nothing reads this value.
          data: input as never,
          errorMessage: undefined,
        }),
      },
    },
  );
  client.onerror = () => {};
  options.prepare(client);
  client.onclose = () => {
    if (isOpen) options.onClose();
  };
  const facts = () => (transport instanceof StdioTransport ? transport.facts() : undefined);
  try {
    await untilAborted(client.connect(wire, { timeout, signal }), signal);
  } catch (error) {
    await wire.close().catch(() => {});
    throw withProcess(error, facts());
  }
  isOpen = true;
  const era = client.getProtocolEra() ?? 'legacy';
  if (era === 'modern') wire.becomeModern();
  return {
    client,
    wire,
    kind: attempt.kind ?? settings.endpoint.kind,
    era,
    facts,
    close: async () => {
      isOpen = false;
      await attempt.terminate?.();
      await client.close().catch(() => {});
      await wire.close().catch(() => {});
    },
  };
}

/** What the process said beside its failure to connect is the better explanation. */
function withProcess(error: unknown, facts: ProcessFacts | undefined): unknown {
  if (facts === undefined) return error;
  const ended = facts.ended === undefined ? '' : ` (${facts.ended})`;
  const said = facts.stderrTail.trim().split('\n').at(-1) ?? '';
  return new ToolError(
    'transport',
    `${messageOf(error)}${ended}${said === '' ? '' : `; it said: ${said.slice(0, 500)}`}`,
    { reason: 'connect', cause: error },
  );
}

/** Whether the first answer was that of a server that knows only the older HTTP+SSE. */
function isOlderTransport(error: unknown): boolean {
  const http = find(error, (cause) => cause instanceof SdkHttpError);
  if (http === undefined) return false;
  if ([404, 405, 406, 415, 501].includes(http.status)) return true;
  return http.status === 400 && !isJsonRpc(http.data['text']);
}

function isJsonRpc(text: unknown): boolean {
  return typeof text === 'string' && /"jsonrpc"\s*:/.test(text);
}

function isSpawnError(error: unknown): boolean {
  return (
    find(error, (cause): cause is Error => cause instanceof Error && 'syscall' in cause) !==
    undefined
  );
}

/** The first of an error and its causes that is what is looked for. */
export function find<T>(error: unknown, is: (cause: unknown) => cause is T): T | undefined {
  let cause = error;
  for (let depth = 0; depth < 8; depth += 1) {
    if (is(cause)) return cause;
    if (!(cause instanceof Error)) return undefined;
    const data = cause instanceof SdkError ? cause.data : undefined;
    const inner =
      typeof data === 'object' && data !== null && 'cause' in data ? data.cause : undefined;
    cause = cause.cause ?? inner;
  }
  return undefined;
}

/** Whether a server wants credentials, or others. */
export function isUnauthorized(error: unknown): boolean {
  return (
    find(error, (cause) => cause instanceof UnauthorizedError) !== undefined ||
    find(error, (cause) => cause instanceof SdkHttpError)?.status === 401
  );
}

/** Whether a value was not of the shape that the protocol gives it; what the SDK says of that is a page of JSON. */
export function isShapeError(error: unknown): boolean {
  return error instanceof Error && /^\$?ZodError$/.test(error.name);
}

/** An error in one sentence. */
export function messageOf(error: unknown): string {
  const known = find(error, (cause) => ToolError.isInstance(cause));
  if (known !== undefined) return known.message;
  if (isShapeError(error)) return 'It is no message of the protocol.';
  return error instanceof Error ? inOneSentence(error.message) : String(error);
}

/** What the SDK found wrong is a list of issues as JSON behind its own words; the first of them says enough. */
function inOneSentence(message: string): string {
  const at = message.indexOf('[\n');
  if (at < 0) return message;
  try {
    const issues: unknown = JSON.parse(message.slice(at));
    const first: unknown = Array.isArray(issues) ? issues[0] : undefined;
    if (typeof first !== 'object' || first === null || !('message' in first)) return message;
    const path = 'path' in first && Array.isArray(first.path) ? first.path.join('.') : '';
    return `${message.slice(0, at)}${path === '' ? '' : `${path}: `}${String(first.message)}`;
  } catch {
    return message;
  }
}

async function within(work: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([
    work,
    new Promise((resolve) => {
      timer = setTimeout(resolve, limitMs);
    }),
  ]);
  clearTimeout(timer);
}
