import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import { DirectRequests } from './direct-requests.ts';
import { readIncoming } from './read-incoming.ts';

/** JSON-RPC code of our own for an answer whose stream ended before it came. */
export const lostCode = -32_098;

/** Milliseconds that a server may keep the stream of a request open after its answer. */
const LINGER_MS = 2_000;

/** Who waits for the answer to one request, found by its progress token. */
export interface RequestWatch {
  /** Called at once for each tick, in order, before anything that the server sent later. */
  progress(params: Readonly<Record<string, unknown>>): void;
  /** From now on the server may have the request. */
  sent(): void;
}

interface Exchange {
  readonly stream: AbortController;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * A transport around a transport, between it and the SDK's client. It sees each message first: progress reaches its
 * call in order and undropped even when the answer arrives in the same chunk, a request whose answer stream breaks off
 * fails at once instead of hanging until its timeout, and notifications are told without the SDK's filters.
 */
export class WireTap implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** Requests that the SDK's client knows nothing of. */
  readonly direct = new DirectRequests((message) => this.send(message));
  readonly #inner: Transport;
  readonly #onNotification: (method: string, params: unknown) => void;
  readonly #watches = new Map<number, RequestWatch>();
  /** The progress token of each request that is out. */
  readonly #tokens = new Map<number | string, number>();
  readonly #open = new Map<number | string, Exchange>();
  #nextToken = 0;
  #isModern = false;

  constructor(inner: Transport, onNotification: (method: string, params: unknown) => void) {
    this.#inner = inner;
    this.#onNotification = onNotification;
    // The SDK tells a transport over stdio by these two.
    if ('pid' in inner && 'stderr' in inner) {
      Object.defineProperties(this, {
        pid: { get: () => inner.pid, enumerable: true },
        stderr: { get: () => inner.stderr, enumerable: true },
      });
    }
    inner.onmessage = (sent, extra) => {
      try {
        const message = readIncoming(sent);
        if (message === undefined || this.#takes(message)) return;
        this.onmessage?.(this.#isModern ? withResultType(message) : message, extra);
      } catch (error) {
        // Whatever a server sends, it must not end the process that reads it.
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    };
    inner.onclose = () => {
      this.direct.failAll(new Error('Connection closed'));
      this.onclose?.();
    };
    inner.onerror = (error) => this.onerror?.(error);
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  get hasPerRequestStream(): boolean {
    return this.#inner.hasPerRequestStream === true;
  }

  /** The newer protocol was agreed on. */
  becomeModern(): void {
    this.#isModern = true;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.#inner.setSupportedProtocolVersions?.(versions);
  }

  /** Registers who waits; the token goes into the request's `_meta.progressToken`. */
  watch(watch: RequestWatch): { readonly token: number; forget(): void } {
    const token = this.#nextToken;
    this.#nextToken += 1;
    this.#watches.set(token, watch);
    return {
      token,
      forget: () => {
        this.#watches.delete(token);
        // Few requests are out at once.
        for (const [id, used] of this.#tokens) if (used === token) this.#tokens.delete(id);
      },
    };
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!('method' in message)) return this.#inner.send(message, options);
    if (!('id' in message)) {
      const cancelled = message.method === 'notifications/cancelled' ? message.params : undefined;
      await this.#inner.send(message, options);
      const id = cancelled?.['requestId'];
      if (typeof id === 'number' || typeof id === 'string') this.#close(id);
      return;
    }
    const token = tokenOf(message.params);
    const watch = this.#watches.get(token);
    if (watch !== undefined) {
      this.#tokens.set(message.id, token);
      watch.sent();
    }
    // Where all answers come over one channel, no stream can end before its answer.
    if (!this.hasPerRequestStream) return this.#inner.send(message, options);
    const { id } = message;
    const exchange: Exchange = { stream: new AbortController(), timer: undefined };
    this.#open.set(id, exchange);
    const signal = options?.requestSignal;
    try {
      await this.#inner.send(message, {
        ...options,
        requestSignal:
          signal === undefined
            ? exchange.stream.signal
            : AbortSignal.any([signal, exchange.stream.signal]),
        onRequestStreamEnd: () => {
          options?.onRequestStreamEnd?.();
          this.#streamEnded(id, exchange);
        },
      });
    } catch (error) {
      this.#open.delete(id);
      throw error;
    }
  }

  async close(): Promise<void> {
    for (const id of this.#open.keys()) this.#close(id);
    await this.#inner.close();
  }

  /** Takes what is for one call alone; the rest goes on to the client. */
  #takes(message: JSONRPCMessage): boolean {
    if (!('method' in message)) {
      if ('id' in message && message.id !== undefined) {
        this.#answered(message.id);
        if (isFinal(message)) this.#endProgress(message.id);
      }
      return this.direct.takes(message);
    }
    if ('id' in message) return false;
    if (message.method === 'notifications/progress') {
      const { params } = message;
      const token = params?.['progressToken'];
      if (typeof token === 'number') this.#watches.get(token)?.progress(params ?? {});
      return true;
    }
    this.#onNotification(message.method, message.params);
    return false;
  }

  /** What is told of a request behind its answer is told to nobody. */
  #endProgress(id: number | string): void {
    const token = this.#tokens.get(id);
    if (token !== undefined) this.#watches.delete(token);
  }

  #answered(id: number | string): void {
    const exchange = this.#open.get(id);
    if (exchange === undefined) return;
    this.#open.delete(id);
    exchange.timer = setTimeout(() => exchange.stream.abort(), LINGER_MS);
    exchange.timer.unref();
  }

  #streamEnded(id: number | string, exchange: Exchange): void {
    clearTimeout(exchange.timer);
    if (!this.#open.delete(id)) return;
    const message: JSONRPCMessage = {
      jsonrpc: '2.0',
      id,
      error: { code: lostCode, message: 'The stream of the answer ended before the answer.' },
    };
    if (!this.direct.takes(message)) this.onmessage?.(message);
  }

  #close(id: number | string): void {
    const exchange = this.#open.get(id);
    this.#open.delete(id);
    exchange?.stream.abort();
  }
}

/** Whether a request is over with this answer: one that asks for input is made again, under the same token. */
function isFinal(message: JSONRPCMessage): boolean {
  return !('result' in message) || message.result['resultType'] !== 'input_required';
}

/** A result that does not say of which type it is counts as complete (SEP-2322); the SDK would lose it. */
function withResultType(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message) || message.result['resultType'] !== undefined) return message;
  return { ...message, result: { ...message.result, resultType: 'complete' } };
}

function tokenOf(params: unknown): number {
  if (typeof params !== 'object' || params === null || !('_meta' in params)) return -1;
  const meta = params._meta;
  if (typeof meta !== 'object' || meta === null || !('progressToken' in meta)) return -1;
  return typeof meta.progressToken === 'number' ? meta.progressToken : -1;
}
