import { rootCertificates } from 'node:tls';
import { Client, ProxyAgent } from 'undici';
import type { buildConnector, Dispatcher } from 'undici';
import type { Connector } from '../connect/open-socket.ts';
import { openSocket } from '../connect/open-socket.ts';
import { secureSocket } from '../connect/secure-socket.ts';
import type { Trust } from '../connect/trust.ts';
import { endpointKey } from '../options/parse-endpoint.ts';
import type { Endpoint } from '../options/parse-endpoint.ts';
import { bareHost } from '../url/parse-request-url.ts';
import type { Exchange, ExchangeRequest, ExchangeResponse } from './exchange.ts';

/** What the exchange needs of its host. */
export interface UndiciExchangeOptions {
  readonly connector: Connector;
  /** For connections without a proxy. */
  readonly trust: Trust;
  /** For those through one: certificate authorities beside the built-in ones, as PEM. */
  readonly ca: readonly string[] | undefined;
  readonly proxy: string | undefined;
  /** Bytes of status line and headers. */
  readonly maxHeaderBytes: number;
}

/** Kept connections idle no longer than this, in milliseconds. */
const KEEP_ALIVE_MS = 4000;
/** Milliseconds for connection and TLS handshake together. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Connections kept for later, of all origins; the one idle for longest goes first. */
const MAX_IDLE = 32;

/**
 * Speaks HTTP/1.1 through undici, one connection a request at a time.
 *
 * A connection is kept only after a response was read to its end, and found again only by the same origin *and* the same judged
 * endpoints: when a name's answers change, the old connection is not taken for it. A request that ends any other way takes its
 * connection with it.
 */
export class UndiciExchange implements Exchange {
  readonly #options: UndiciExchangeOptions;
  readonly #proxy: ProxyAgent | undefined;
  readonly #idle: { readonly key: string; readonly client: Client }[] = [];
  /** The clients at work, with the end of the request that each is at: also of a connection that is being made for it. */
  readonly #busy = new Map<Client, AbortSignal>();
  readonly #stop = new AbortController();

  constructor(options: UndiciExchangeOptions) {
    this.#options = options;
    if (options.proxy !== undefined) {
      this.#proxy = new ProxyAgent({
        ...this.#limits(),
        ...(options.ca === undefined
          ? {}
          : { requestTls: { ca: [...rootCertificates, ...options.ca] } }),
        uri: options.proxy,
        proxyTunnel: false,
      });
    }
  }

  async send(request: ExchangeRequest): Promise<ExchangeResponse> {
    if (this.#stop.signal.aborted) {
      throw new Error('The HTTP client is closed.');
    }
    if (this.#proxy !== undefined) {
      const { response, body } = await dispatch(this.#proxy, request);
      return { ...response, body, destroy: () => body.destroy() };
    }
    const key = [request.url.origin, ...request.endpoints.map(endpointKey)].join('|');
    const kept = this.#take(key);
    if (kept !== undefined) {
      try {
        return await this.#sendOver(kept, key, request);
      } catch (error) {
        if (!isStale(error) || !isRepeatable(request)) {
          throw error;
        }
      }
    }
    return this.#sendOver(this.#createClient(request), key, request);
  }

  async #sendOver(
    client: Client,
    key: string,
    request: ExchangeRequest,
  ): Promise<ExchangeResponse> {
    this.#busy.set(client, request.signal);
    let isKept = false;
    const destroy = (): void => {
      // Whose answer has been read whole is somebody else's by now, or waits to be.
      if (isKept) return;
      this.#busy.delete(client);
      client.destroy().catch(ignore);
    };
    try {
      const { response, body } = await dispatch(client, request);
      const keep = (): void => {
        isKept = true;
        this.#keep(key, client);
      };
      return { ...response, body: watchEnd(body, { keep, destroy }), destroy };
    } catch (error) {
      destroy();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('The HTTP client is closed.'));
    const clients = [...this.#busy.keys(), ...this.#idle.splice(0).map(({ client }) => client)];
    this.#busy.clear();
    await Promise.allSettled([
      ...clients.map(async (client) => client.destroy()),
      this.#proxy?.destroy(),
    ]);
  }

  #take(key: string): Client | undefined {
    const index = this.#idle.findLastIndex((entry) => entry.key === key);
    return index === -1 ? undefined : this.#idle.splice(index, 1)[0]?.client;
  }

  #keep(key: string, client: Client): void {
    if (!this.#busy.delete(client)) {
      return;
    }
    this.#idle.push({ key, client });
    if (this.#idle.length > MAX_IDLE) {
      this.#idle.shift()?.client.destroy().catch(ignore);
    }
  }

  #createClient({ url, endpoints }: ExchangeRequest): Client {
    const client: Client = new Client(url.origin, {
      ...this.#limits(),
      pipelining: 1,
      connect: (_options, callback) => {
        void this.#connectInto(callback, { url, endpoints }, this.#busy.get(client));
      },
    });
    return client;
  }

  async #connectInto(
    callback: buildConnector.Callback,
    { url, endpoints }: Pick<ExchangeRequest, 'url' | 'endpoints'>,
    end: AbortSignal | undefined,
  ): Promise<void> {
    const signals = [AbortSignal.timeout(CONNECT_TIMEOUT_MS), this.#stop.signal, end];
    const signal = AbortSignal.any(signals.filter((one) => one !== undefined));
    try {
      callback(null, await this.#connect(url, endpoints, signal));
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), null);
    }
  }

  async #connect(url: URL, endpoints: readonly Endpoint[], signal: AbortSignal) {
    const socket = await openSocket(endpoints, { connector: this.#options.connector, signal });
    if (url.protocol === 'http:') {
      return socket;
    }
    return secureSocket(socket, { hostname: bareHost(url), trust: this.#options.trust }, signal);
  }

  #limits() {
    return {
      maxHeaderSize: this.#options.maxHeaderBytes,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // The request's own signal bounds the whole exchange; undici's timers would only add a second opinion.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
  }
}

/** Whether a kept connection was closed by the server, as it may be when it is idle (RFC 9112, section 9.3.1). */
function isStale(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(String(error.code))
  );
}

/** Whether a request may be sent a second time when nobody knows what became of the first one. */
function isRepeatable({ method, body, signal }: ExchangeRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && body === undefined && !signal.aborted;
}

type Body = Dispatcher.ResponseData['body'];

async function dispatch(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
): Promise<{ response: Pick<ExchangeResponse, 'status' | 'headers'>; body: Body }> {
  const { url, method, headers, body, signal } = request;
  const response = await dispatcher.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers,
    body: body ?? null,
    // One signal an exchange: undici leaves its listener on the signal of a response that is dropped.
    signal: AbortSignal.any([signal]),
  });
  // The body emits an error when it is dropped half-way; whoever drops it does not care.
  response.body.on('error', ignore);
  return {
    response: { status: response.statusCode, headers: joinHeaders(response.headers) },
    body: response.body,
  };
}

/** Tells whether a body was read to its end or left before. */
async function* watchEnd(
  body: AsyncIterable<Uint8Array>,
  { keep, destroy }: { readonly keep: () => void; readonly destroy: () => void },
): AsyncGenerator<Uint8Array, void, undefined> {
  let isWhole = false;
  try {
    yield* body;
    isWhole = true;
  } finally {
    if (isWhole) {
      keep();
    } else {
      destroy();
    }
  }
}

function joinHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const joined: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    joined[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  }
  return joined;
}

function ignore(): void {}
