import type { Socket } from 'node:net';
import { openSocket } from '../connect/open-socket.ts';
import type { Connector } from '../connect/open-socket.ts';
import { secureSocket } from '../connect/secure-socket.ts';
import { endpointKey } from '../options/parse-endpoint.ts';
import { bareHost } from '../url/parse-request-url.ts';
import type { Exchange, ExchangeRequest, ExchangeResponse } from './exchange.ts';
import { ChunkDecoder } from './decode-chunks.ts';
import { MalformedHead, parseResponseHead } from './response-head.ts';
import type { ResponseHead } from './response-head.ts';
import { SocketReader } from './socket-reader.ts';

/** What the exchange needs of its host. */
export interface DirectExchangeOptions {
  readonly connector: Connector;
  readonly ca: readonly string[] | undefined;
  /** Bytes of status line and headers. */
  readonly maxHeaderBytes: number;
  /** Takes the requests that are not made here: others than GET, and those through a proxy. */
  readonly fallback: Exchange;
}

/** Milliseconds for connection and TLS handshake together. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Kept connections idle no longer than this, in milliseconds. */
const KEEP_ALIVE_MS = 4000;

interface Connection {
  readonly socket: Socket;
  readonly reader: SocketReader;
}

/**
 * Speaks HTTP/1.1 for large bodies: GET alone, straight from the socket into a few buffers that are used again. Chunks are valid until
 * the next one is asked for.
 */
export class DirectExchange implements Exchange {
  readonly #options: DirectExchangeOptions;
  readonly #idle = new Map<string, Connection[]>();
  readonly #open = new Set<Socket>();
  #closed = false;

  constructor(options: DirectExchangeOptions) {
    this.#options = options;
  }

  async send(request: ExchangeRequest): Promise<ExchangeResponse> {
    const { fallback, maxHeaderBytes } = this.#options;
    if (this.#closed) {
      throw new Error('The HTTP client is closed.');
    }
    if (request.method !== 'GET' || request.body !== undefined || request.endpoints.length === 0) {
      return fallback.send(request);
    }
    const key = [request.url.origin, ...request.endpoints.map(endpointKey)].join('|');
    const connection = this.#takeIdle(key) ?? (await this.#connect(request));
    const { socket } = connection;
    const onAbort = (): void => {
      socket.destroy();
    };
    request.signal.addEventListener('abort', onAbort, { once: true });
    const destroy = (): void => {
      request.signal.removeEventListener('abort', onAbort);
      socket.destroy();
    };
    try {
      request.signal.throwIfAborted();
      socket.write(headOf(request));
      const { head, rest } = await readHead(connection.reader, maxHeaderBytes);
      const keep = (): void => {
        request.signal.removeEventListener('abort', onAbort);
        this.#keep(key, connection);
      };
      const body = readBody(connection.reader, { head, rest, keep, destroy });
      return { status: head.status, headers: head.headers, body, destroy };
    } catch (error) {
      destroy();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const socket of this.#open) {
      socket.destroy();
    }
    this.#idle.clear();
  }

  async #connect({ url, endpoints, signal }: ExchangeRequest): Promise<Connection> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]);
    const reader = new SocketReader();
    const isSecure = url.protocol === 'https:';
    const { connector, ca } = this.#options;
    const plain = await openSocket(endpoints, {
      connector: async (endpoint, options) =>
        connector(endpoint, isSecure ? options : { ...options, onRead: reader.onRead }),
      signal: limit,
    });
    const socket = isSecure
      ? await secureSocket(plain, {
          hostname: bareHost(url),
          ca,
          signal: limit,
        })
      : plain;
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
    });
    socket.on('timeout', () => {
      socket.destroy();
    });
    reader.attach(socket);
    return { socket, reader };
  }

  #takeIdle(key: string): Connection | undefined {
    const idle = this.#idle.get(key) ?? [];
    for (let connection = idle.pop(); connection !== undefined; connection = idle.pop()) {
      connection.socket.setTimeout(0);
      if (connection.reader.isIdle && !connection.socket.destroyed) {
        return connection;
      }
      connection.socket.destroy();
    }
    return undefined;
  }

  #keep(key: string, connection: Connection): void {
    const { socket, reader } = connection;
    if (!reader.isIdle || socket.destroyed) {
      socket.destroy();
      return;
    }
    socket.setTimeout(KEEP_ALIVE_MS);
    this.#idle.set(key, [...(this.#idle.get(key) ?? []), connection]);
  }
}

function headOf({ url, headers }: ExchangeRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n${lines.join('')}\r\n`;
}

const BLANK_LINE = Buffer.from('\r\n\r\n');

/** Reads up to the blank line of the final answer; hints before it (1xx) are skipped and count towards the cap. */
async function readHead(
  reader: SocketReader,
  maxBytes: number,
): Promise<{ readonly head: ResponseHead; readonly rest: Uint8Array }> {
  let pending = Buffer.alloc(0);
  let skipped = 0;
  for (;;) {
    const end = pending.indexOf(BLANK_LINE);
    if (end === -1) {
      if (skipped + pending.length > maxBytes) {
        throw headerTooLarge();
      }
      const chunk = await reader.next();
      if (chunk === undefined) {
        throw new Error('The connection ended before the answer.');
      }
      pending = Buffer.concat([pending, chunk]);
      continue;
    }
    skipped += end + BLANK_LINE.length;
    if (skipped > maxBytes) {
      throw headerTooLarge();
    }
    const head = parseResponseHead(pending.toString('latin1', 0, end));
    pending = pending.subarray(end + BLANK_LINE.length);
    if (head.status >= 200) {
      return { head, rest: pending };
    }
    if (head.status === 101) {
      throw new MalformedHead('The server switches to another protocol, which nobody asked for.');
    }
  }
}

function headerTooLarge(): Error {
  return Object.assign(new Error('The headers are too large.'), {
    code: 'UND_ERR_HEADERS_OVERFLOW',
  });
}

async function* readBody(
  reader: SocketReader,
  state: {
    readonly head: ResponseHead;
    readonly rest: Uint8Array;
    readonly keep: () => void;
    readonly destroy: () => void;
  },
): AsyncGenerator<Uint8Array, void, undefined> {
  const { head, rest, keep, destroy } = state;
  let isReusable = false;
  try {
    isReusable = yield* head.framing.kind === 'chunked'
      ? readChunks(reader, rest)
      : readPlain(reader, rest, head.framing.kind === 'length' ? head.framing.length : undefined);
  } finally {
    if (isReusable && head.keepsAlive) {
      keep();
    } else {
      destroy();
    }
  }
}

/** Returns whether nothing came behind the body. */
async function* readPlain(
  reader: SocketReader,
  rest: Uint8Array,
  length: number | undefined,
): AsyncGenerator<Uint8Array, boolean, undefined> {
  let received = 0;
  let hasSurplus = false;
  let chunk: Uint8Array | undefined = rest;
  while (chunk !== undefined) {
    const wanted: Uint8Array = length === undefined ? chunk : chunk.subarray(0, length - received);
    hasSurplus = wanted.length < chunk.length;
    received += wanted.length;
    if (wanted.length > 0) {
      yield wanted;
    }
    chunk = received === length ? undefined : await reader.next();
  }
  if (length !== undefined && received < length) {
    throw new Error('The connection ended before the body.');
  }
  return !hasSurplus;
}

async function* readChunks(
  reader: SocketReader,
  rest: Uint8Array,
): AsyncGenerator<Uint8Array, boolean, undefined> {
  const decoder = new ChunkDecoder();
  yield* decoder.push(rest);
  while (!decoder.isDone) {
    const bytes = await reader.next();
    if (bytes === undefined) {
      throw new Error('The connection ended before the body.');
    }
    yield* decoder.push(bytes);
  }
  return !decoder.hasSurplus;
}
