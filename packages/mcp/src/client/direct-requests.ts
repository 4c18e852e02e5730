import {
  ProtocolError,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/client';

/** A request on its way. */
export interface SentRequest {
  /** The bare result. Errors: `ProtocolError`, and what sending throws. */
  readonly answer: Promise<unknown>;
  /** Gives it up: the server is told, and the answer rejects with the reason. */
  cancel(reason: unknown): void;
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Far above what the SDK's client counts to, and still an integer of 32 bits, which some servers read ids into. */
const FIRST_ID = 1_000_000_000;

/**
 * Requests that go past the SDK's client: it parses each answer with several schemas, which costs more than all the
 * rest of a call. Only for the older protocol: the newer one puts an envelope around each request and may answer it by
 * asking.
 */
export class DirectRequests {
  readonly #send: (message: JSONRPCMessage) => Promise<void>;
  readonly #pending = new Map<number | string, Pending>();
  #nextId = FIRST_ID;

  constructor(send: (message: JSONRPCMessage) => Promise<void>) {
    this.#send = send;
  }

  send(method: string, params: NonNullable<JSONRPCRequest['params']>): SentRequest {
    const id = this.#nextId;
    this.#nextId += 1;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
    });
    this.#send({ jsonrpc: '2.0', id, method, params }).catch((error: unknown) =>
      this.#take(id)?.reject(error),
    );
    return {
      answer,
      cancel: (reason) => {
        const pending = this.#take(id);
        if (pending === undefined) return;
        pending.reject(reason);
        const said = reason instanceof Error ? { reason: reason.message } : {};
        this.#send({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: id, ...said },
        }).catch(() => {});
      },
    };
  }

  /** Takes a message that answers one of these requests; false for any other. */
  takes(message: JSONRPCMessage): boolean {
    if ('method' in message || message.id === undefined) return false;
    const pending = this.#take(message.id);
    if (pending === undefined) return false;
    if ('error' in message) {
      const { code, message: text, data } = message.error;
      pending.reject(new ProtocolError(code, text, data));
    } else pending.resolve(message.result);
    return true;
  }

  /** No answer comes any more. */
  failAll(error: Error): void {
    for (const id of this.#pending.keys()) this.#take(id)?.reject(error);
  }

  #take(id: number | string): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }
}
