import { Pool, ProxyAgent } from 'undici';
import type { buildConnector, Dispatcher } from 'undici';
import type { Connector } from '../connect/open-socket.ts';
import { openSocket } from '../connect/open-socket.ts';
import { secureSocket } from '../connect/secure-socket.ts';
import { endpointKey } from '../options/parse-endpoint.ts';
import type { Endpoint } from '../options/parse-endpoint.ts';
import { bareHost } from '../url/parse-request-url.ts';
import type { Exchange, ExchangeRequest, ExchangeResponse } from './exchange.ts';

/** What the exchange needs of its host. */
export interface UndiciExchangeOptions {
  readonly connector: Connector;
  readonly ca: readonly string[] | undefined;
  readonly proxy: string | undefined;
  /** Bytes of status line and headers. */
  readonly maxHeaderBytes: number;
}

/** Kept connections idle no longer than this, in milliseconds. */
const KEEP_ALIVE_MS = 4000;
/** Milliseconds for connection and TLS handshake together. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Pools that may be idle at once; the one unused for longest goes first. */
const MAX_POOLS = 32;

/**
 * Speaks HTTP/1.1 through undici. A kept connection is found again only by the same origin *and* the same judged endpoints:
 * when a name's answers change, the old connection is not taken for it.
 */
export class UndiciExchange implements Exchange {
  readonly #options: UndiciExchangeOptions;
  readonly #pools = new Map<string, Dispatcher>();
  #closed = false;

  constructor(options: UndiciExchangeOptions) {
    this.#options = options;
  }

  async send(request: ExchangeRequest): Promise<ExchangeResponse> {
    if (this.#closed) {
      throw new Error('The HTTP client is closed.');
    }
    const { url, method, headers, body, signal } = request;
    const response = await this.#poolFor(request).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers,
      body: body ?? null,
      signal,
    });
    // The body emits an error when it is dropped half-way; whoever drops it does not care.
    response.body.on('error', () => {});
    return {
      status: response.statusCode,
      headers: joinHeaders(response.headers),
      body: response.body,
      destroy: () => {
        response.body.destroy();
      },
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.allSettled(pools.map(async (pool) => pool.destroy()));
  }

  #poolFor({ url, endpoints }: ExchangeRequest): Dispatcher {
    const key =
      this.#options.proxy === undefined
        ? [url.origin, ...endpoints.map(endpointKey)].join('|')
        : 'proxy';
    const known = this.#pools.get(key);
    const pool = known ?? this.#createPool(url, endpoints);
    this.#pools.delete(key);
    this.#pools.set(key, pool);
    this.#dropOldest();
    return pool;
  }

  #createPool(url: URL, endpoints: readonly Endpoint[]): Dispatcher {
    const { proxy, ca, maxHeaderBytes } = this.#options;
    const limits = {
      maxHeaderSize: maxHeaderBytes,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // The request's own signal bounds the whole exchange; undici's timers would only add a second opinion.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    if (proxy !== undefined) {
      const tls = ca === undefined ? {} : { requestTls: { ca: [...ca] } };
      return new ProxyAgent({ ...limits, ...tls, uri: proxy, proxyTunnel: false });
    }
    return new Pool(url.origin, {
      ...limits,
      connections: 16,
      pipelining: 1,
      connect: (_options, callback) => {
        void this.#connectInto(callback, { url, endpoints });
      },
    });
  }

  async #connectInto(
    callback: buildConnector.Callback,
    target: { readonly url: URL; readonly endpoints: readonly Endpoint[] },
  ): Promise<void> {
    try {
      callback(null, await this.#connect(target.url, target.endpoints));
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), null);
    }
  }

  async #connect(url: URL, endpoints: readonly Endpoint[]) {
    const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
    const socket = await openSocket(endpoints, { connector: this.#options.connector, signal });
    if (url.protocol === 'http:') {
      return socket;
    }
    return secureSocket(socket, { hostname: bareHost(url), ca: this.#options.ca, signal });
  }

  #dropOldest(): void {
    const [oldest] = this.#pools;
    if (oldest !== undefined && this.#pools.size > MAX_POOLS) {
      const [key, pool] = oldest;
      this.#pools.delete(key);
      // Waits for what is under way on it, then ends its connections.
      pool.close().catch(() => {});
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
