import { once } from 'node:events';
import { createServer as createTcpServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';

/** A request as it came over the wire. */
export interface RecordedRequest {
  readonly method: string;
  /** The request target as sent: a path, or a whole URL to a proxy. */
  readonly target: string;
  /** Lower-case names; the last of repeated ones. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** 0 for the first request of the server's life. */
  readonly index: number;
  /** 0 for the first connection. */
  readonly connection: number;
}

/** The server's side of one request: bytes go out exactly as they are given, right or wrong. */
export interface HostileExchange {
  readonly request: RecordedRequest;
  readonly socket: Socket;
  /** Writes bytes or latin1 text and waits until the socket takes more; false once the peer has gone. */
  write(bytes: string | Uint8Array): Promise<boolean>;
  /** Waits, at most until the connection ends; false once the peer has gone. */
  pause(ms: number): Promise<boolean>;
  /** Ends the connection in order. */
  end(): void;
  /** Breaks the connection. */
  reset(): void;
}

/** What the server does with one request. A connection it leaves open waits for the next request. */
export type HostileBehaviour = (exchange: HostileExchange) => Promise<void> | void;

/** How a server listens. */
export interface HostileServerOptions {
  /** Speak TLS with this certificate and key, PEM. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** A loopback address. Default `127.0.0.1`. */
  readonly host?: string;
}

/** A running server on loopback. */
export interface HostileServer {
  readonly port: number;
  /** `127.0.0.1:port`, as `allowPrivateHosts` takes it. */
  readonly endpoint: string;
  /** Requests in the order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Connections ever accepted. */
  readonly connections: number;
  /** Connections open now. */
  readonly open: number;
  close(): Promise<void>;
}

/**
 * Starts a server that speaks what `behaviour` says, byte by byte: lies in lengths and ranges, endless and cut bodies, resets.
 * It listens on loopback, on a free port; with `tls` over TLS.
 */
export async function startHostileServer(
  behaviour: HostileBehaviour,
  options: HostileServerOptions = {},
): Promise<HostileServer> {
  const requests: RecordedRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const onSocket = (socket: Socket): void => {
    const connection = connections;
    connections += 1;
    sockets.add(socket);
    socket.on('error', ignore);
    socket.once('close', () => {
      sockets.delete(socket);
    });
    serve(socket, connection, { behaviour, requests }).catch(() => {
      socket.destroy();
    });
  };
  const host = options.host ?? '127.0.0.1';
  const server: Server =
    options.tls === undefined
      ? createTcpServer(onSocket)
      : createTlsServer({ ...options.tls }, onSocket);
  server.on('tlsClientError', ignore);
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new TypeError('The test server does not listen on a port.');
  }
  const { port } = address;
  return {
    port,
    endpoint: host.includes(':') ? `[${host}]:${String(port)}` : `${host}:${String(port)}`,
    requests,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
    close: async () => {
      for (const socket of sockets) {
        socket.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}

async function serve(
  socket: Socket,
  connection: number,
  context: { readonly behaviour: HostileBehaviour; readonly requests: RecordedRequest[] },
): Promise<void> {
  const reader = createReader(socket);
  const gone = new AbortController();
  socket.once('close', () => {
    gone.abort();
  });
  for (;;) {
    const head = await reader.head();
    if (head === undefined) {
      return;
    }
    const request = {
      ...parseHead(head),
      body: new Uint8Array(),
      index: context.requests.length,
      connection,
    };
    const length = Number(request.headers['content-length'] ?? 0);
    const complete = { ...request, body: await reader.take(length) };
    context.requests.push(complete);
    await context.behaviour(toExchange(socket, complete, gone.signal));
    if (socket.destroyed || socket.writableEnded) {
      return;
    }
  }
}

function toExchange(socket: Socket, request: RecordedRequest, gone: AbortSignal): HostileExchange {
  return {
    request,
    socket,
    write: async (bytes) => {
      if (socket.destroyed) {
        return false;
      }
      const chunk = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
      if (!socket.write(chunk)) {
        await once(socket, 'drain', { signal: gone }).catch(ignore);
      }
      return !socket.destroyed;
    },
    pause: async (ms) => {
      await delay(ms, undefined, { signal: gone }).catch(ignore);
      return !socket.destroyed;
    },
    end: () => {
      socket.end();
    },
    reset: () => {
      socket.resetAndDestroy();
    },
  };
}

function parseHead(head: string): Pick<RecordedRequest, 'method' | 'target' | 'headers'> {
  const [start = '', ...lines] = head.split('\r\n');
  const [method = '', target = ''] = start.split(' ');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { method, target, headers };
}

/** Hands out what a socket received: heads up to the blank line, then counted bytes. */
function createReader(socket: Socket): {
  head(): Promise<string | undefined>;
  take(length: number): Promise<Uint8Array>;
} {
  const state = { pending: Buffer.alloc(0), ended: false, wake: ignore };
  socket.on('data', (chunk: Buffer) => {
    state.pending = Buffer.concat([state.pending, chunk]);
    state.wake();
  });
  socket.on('close', () => {
    state.ended = true;
    state.wake();
  });
  const more = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      state.wake = resolve;
    });
  };
  const take = (length: number): Buffer => {
    const taken = state.pending.subarray(0, length);
    state.pending = state.pending.subarray(length);
    return taken;
  };
  return {
    head: async () => {
      for (;;) {
        const end = state.pending.indexOf('\r\n\r\n');
        if (end !== -1) {
          const head = take(end).toString('latin1');
          take(4);
          return head;
        }
        if (state.ended) {
          return undefined;
        }
        await more();
      }
    },
    take: async (length) => {
      while (state.pending.length < length && !state.ended) {
        await more();
      }
      return take(length);
    },
  };
}

function ignore(): void {}
