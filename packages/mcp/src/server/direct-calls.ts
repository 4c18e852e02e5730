import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequest,
  type JSONRPCMessage,
  type Server,
} from '@modelcontextprotocol/server';
import type { CallRequest } from './call-tool.ts';

/** What direct calls are made with. */
export interface DirectCallsOptions {
  readonly server: Server;
  readonly call: (request: CallRequest) => Promise<object>;
  readonly send: (message: JSONRPCMessage) => Promise<void>;
}

type RequestId = string | number;

/**
 * Calls of the older protocol that go past the SDK's server, which parses each request and each result with several
 * schemas. Whatever is not plainly a well-formed call is left to it, and so is a call that comes while it may still be
 * busy with an earlier message: what a client tells before a call counts for that call.
 */
export class DirectCalls {
  readonly #options: DirectCallsOptions;
  readonly #running = new Map<RequestId, AbortController>();
  #isBehind = false;

  constructor(options: DirectCallsOptions) {
    this.#options = options;
  }

  /** Takes a call, or the end of one that it has taken; false for what is the SDK's. */
  takes(message: JSONRPCMessage): boolean {
    if ('method' in message) {
      if ('id' in message) {
        const params = this.#isBehind ? undefined : readPlainCall(message.method, message.params);
        if (params !== undefined && this.#hasGreeted()) {
          void this.#run(message.id, params);
          return true;
        }
      } else if (message.method === 'notifications/cancelled' && this.#cancels(message.params)) {
        return true;
      }
    }
    this.#waitForSdk();
    return false;
  }

  /** The client is gone. */
  cancelAll(): void {
    for (const stop of this.#running.values()) stop.abort(new Error('The connection was closed.'));
  }

  /** Before the handshake nobody knows what the client can do. */
  #hasGreeted(): boolean {
    return this.#options.server.getClientCapabilities() !== undefined;
  }

  #waitForSdk(): void {
    if (this.#isBehind) return;
    this.#isBehind = true;
    setImmediate(() => {
      this.#isBehind = false;
    });
  }

  #cancels(params: unknown): boolean {
    const { requestId, reason } = toRecord(params);
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return false;
    const stop = this.#running.get(requestId);
    stop?.abort(new Error(typeof reason === 'string' ? reason : 'The client cancelled the call.'));
    return stop !== undefined;
  }

  async #run(id: RequestId, params: CallToolRequest['params']): Promise<void> {
    const { server, call, send } = this.#options;
    const stop = new AbortController();
    this.#running.set(id, stop);
    let answer: JSONRPCMessage;
    try {
      const result = await call({
        params,
        signal: stop.signal,
        progressToken: params._meta?.progressToken,
        state: undefined,
        answers: {},
        send: async (request, options) => server.request(request, options),
        notify: async (notification) => server.notification(notification),
      });
      answer = { jsonrpc: '2.0', id, result: { ...result } };
    } catch (error) {
      answer = { jsonrpc: '2.0', id, error: toError(error) };
    } finally {
      if (this.#running.get(id) === stop) this.#running.delete(id);
    }
    // Nobody waits for the answer to a call that was cancelled.
    if (stop.signal.aborted) return;
    await send(answer).catch((error: unknown) => {
      server.onerror?.(error instanceof Error ? error : new Error(String(error)));
    });
  }
}

/** The parameters of a call that has nothing but a name, arguments and metadata. */
function readPlainCall(method: string, params: unknown): CallToolRequest['params'] | undefined {
  if (method !== 'tools/call') return undefined;
  const { name, arguments: args, _meta: meta, ...others } = toRecord(params);
  if (typeof name !== 'string' || Object.keys(others).length > 0) return undefined;
  if (args !== undefined && !isRecord(args)) return undefined;
  // The metadata was checked when the message was read.
  return { name, arguments: args, _meta: meta } as CallToolRequest['params'];
}

function toError(error: unknown): { code: number; message: string; data?: unknown } {
  if (error instanceof ProtocolError) {
    const { code, message, data } = error;
    return { code, message, ...(data === undefined ? {} : { data }) };
  }
  return { code: ProtocolErrorCode.InternalError, message: 'Internal server error' };
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
