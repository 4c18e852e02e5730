import type { Socket } from 'node:net';
import { openSocket } from '../connect/open-socket.ts';
import type { Connector } from '../connect/open-socket.ts';
import { awaitHandshake, connectSecure, secureSocket } from '../connect/secure-socket.ts';
import type { Trust } from '../connect/trust.ts';
import { endpointKey } from '../options/parse-endpoint.ts';
import type { Endpoint } from '../options/parse-endpoint.ts';
import { bareHost } from '../url/parse-request-url.ts';
import type { Exchange, ExchangeRequest, ExchangeResponse } from './exchange.ts';
import { readBody } from './read-body.ts';
import { NoAnswer, readHead } from './read-head.ts';
import { SocketReader } from './socket-reader.ts';

/** What the exchange needs of its host. */
export interface DirectExchangeOptions {
  readonly connector: Connector;
  /** Where the socket goes for an admitted endpoint; absent where the connector is the host's own, which alone opens sockets then. */
  readonly socketFor: ((endpoint: Endpoint) => Endpoint) | undefined;
  readonly trust: Trust;
  /** Bytes of status line and headers. */
  readonly maxHeaderBytes: number;
  /** Takes the requests that are not made here: others than GET, and those through a proxy. */
  readonly fallback: Exchange;
}

/** Milliseconds for connection and TLS handshake together. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Kept connections idle no longer than this, in milliseconds. */
const KEEP_ALIVE_MS = 4000;
/** Connections kept for later, of all origins; the one idle for longest goes first. */
const MAX_IDLE = 8;

interface Connection {
  /** Origin and judged endpoints: for others it is never used. */
  readonly key: string;
  readonly socket: Socket;
  readonly reader: SocketReader;
}

/**
 * Speaks HTTP/1.1 for large bodies: GET alone, straight from the socket into a few buffers that are used again. Chunks are valid until
 * the next one is asked for.
 */
export class DirectExchange implements Exchange {
  readonly #options: DirectExchangeOptions;
  readonly #idle = new Set<Connection>();
  readonly #open = new Set<Socket>();
  readonly #stop = new AbortController();

  constructor(options: DirectExchangeOptions) {
    this.#options = options;
  }

  async send(request: ExchangeRequest): Promise<ExchangeResponse> {
    const { fallback } = this.#options;
    if (this.#stop.signal.aborted) {
      throw new Error('The HTTP client is closed.');
    }
    if (request.method !== 'GET' || request.body !== undefined || request.endpoints.length === 0) {
      return fallback.send(request);
    }
    const kept = this.#takeIdle(keyOf(request));
    if (kept !== undefined) {
      try {
        return await this.#sendOver(kept, request);
      } catch (error) {
        // The server closed the connection when it was idle (RFC 9112, section 9.3.1); what it has answered is not asked again.
        if (!(error instanceof NoAnswer) || request.signal.aborted) {
          throw error;
        }
      }
    }
    return this.#sendOver(await this.#connect(request), request);
  }

  async #sendOver(connection: Connection, request: ExchangeRequest): Promise<ExchangeResponse> {
    const { socket, reader } = connection;
    const onAbort = (): void => {
      socket.destroy();
    };
    request.signal.addEventListener('abort', onAbort, { once: true });
    // A connection that was kept is no longer this request's.
    let isOver = false;
    const destroy = (): void => {
      if (isOver) {
        return;
      }
      isOver = true;
      request.signal.removeEventListener('abort', onAbort);
      socket.destroy();
    };
    try {
      request.signal.throwIfAborted();
      socket.write(headOf(request), 'latin1');
      const { head, rest } = await readHead(reader, this.#options.maxHeaderBytes);
      const keep = (): void => {
        isOver = true;
        request.signal.removeEventListener('abort', onAbort);
        this.#keep(connection);
      };
      const body = readBody(reader, { head, rest, keep, destroy });
      return { status: head.status, headers: head.headers, body, destroy };
    } catch (error) {
      destroy();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('The HTTP client is closed.'));
    for (const socket of this.#open) {
      socket.destroy();
    }
    this.#idle.clear();
  }

  async #connect(request: ExchangeRequest): Promise<Connection> {
    const { url, endpoints, signal } = request;
    const limit = AbortSignal.any([
      signal,
      this.#stop.signal,
      AbortSignal.timeout(CONNECT_TIMEOUT_MS),
    ]);
    const reader = new SocketReader();
    const socket =
      url.protocol === 'https:'
        ? await this.#connectSecure(request, reader, limit)
        : await openSocket(endpoints, {
            connector: async (endpoint, options) =>
              this.#options.connector(endpoint, { ...options, onRead: reader.onRead }),
            signal: limit,
          });
    const connection = { key: keyOf(request), socket, reader };
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#idle.delete(connection);
    });
    socket.on('timeout', () => {
      socket.destroy();
    });
    reader.attach(socket);
    return connection;
  }

  /** Node reads TLS into given memory only where it has opened the connection itself. */
  async #connectSecure(
    { url, endpoints }: ExchangeRequest,
    reader: SocketReader,
    signal: AbortSignal,
  ): Promise<Socket> {
    const { connector, socketFor, trust } = this.#options;
    const peer = { hostname: bareHost(url), trust };
    if (socketFor === undefined) {
      return secureSocket(await openSocket(endpoints, { connector, signal }), peer, signal);
    }
    const secure = await openSocket(endpoints, {
      connector: async (endpoint, options) =>
        connectSecure(socketFor(endpoint), { ...options, onRead: reader.onRead }, peer),
      signal,
    });
    return awaitHandshake(secure, peer, signal);
  }

  #takeIdle(key: string): Connection | undefined {
    for (const connection of [...this.#idle].toReversed()) {
      if (connection.key !== key) {
        continue;
      }
      this.#idle.delete(connection);
      connection.socket.setTimeout(0);
      connection.reader.rest(false);
      if (connection.reader.isIdle && !connection.socket.destroyed) {
        return connection;
      }
      connection.socket.destroy();
    }
    return undefined;
  }

  #keep(connection: Connection): void {
    const { socket, reader } = connection;
    if (this.#stop.signal.aborted || !reader.isIdle || socket.destroyed) {
      socket.destroy();
      return;
    }
    socket.setTimeout(KEEP_ALIVE_MS);
    reader.rest(true);
    this.#idle.add(connection);
    for (const oldest of this.#idle) {
      if (this.#idle.size <= MAX_IDLE) {
        break;
      }
      this.#idle.delete(oldest);
      oldest.socket.destroy();
    }
  }
}

function keyOf({ url, endpoints }: ExchangeRequest): string {
  return [url.origin, ...endpoints.map(endpointKey)].join('|');
}

function headOf({ url, headers }: ExchangeRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n${lines.join('')}\r\n`;
}
