import type {
  ClientCapabilities,
  InputRequest,
  InputRequests,
  LoggingLevel,
} from '@modelcontextprotocol/server';
import { ToolError, type ToolResult } from '@toolwright/core';
import { isAnswerable, requiredFor } from './client-requests.ts';

/** One request of the client that a call is carried by: the first, or one that brings answers. */
export interface CallLeg {
  readonly capabilities: ClientCapabilities | undefined;
  readonly signal: AbortSignal;
  /** Answers that the request carries, by key. */
  readonly answers: Readonly<Record<string, unknown>>;
  /**
   * Sends a request to the client while the call runs, as the older protocol does it; undefined where the call has to
   * be answered with what it needs, and comes again with that.
   */
  readonly push: ((request: InputRequest, signal: AbortSignal) => Promise<unknown>) | undefined;
  readonly log: (level: LoggingLevel, data: unknown) => Promise<void>;
}

/** How a leg ends: the call is done, or it needs answers first. */
export type LegEnd =
  | { readonly kind: 'done'; readonly result: ToolResult }
  | { readonly kind: 'asks'; readonly requests: InputRequests };

interface Question {
  readonly request: InputRequest;
  readonly resolve: (answer: Readonly<Record<string, unknown>>) => void;
}

/**
 * A call of the kernel on behalf of a client, which may have to ask that client while it runs. In the newer protocol a
 * question ends the request, and the call waits here until a later one brings the answer.
 */
export class RunningCall {
  /** The kernel's id of the call. */
  readonly id: string;
  /** Where a call outlives its request; elsewhere the request's own signal is the call's. */
  readonly #controller: AbortController | undefined;
  readonly #questions = new Map<string, Question>();
  #leg: CallLeg;
  #given: Readonly<Record<string, unknown>>;
  #onQuestion: (() => void) | undefined;
  #stopFollowing: () => void = () => {};

  constructor(id: string, leg: CallLeg) {
    this.id = id;
    this.#leg = leg;
    this.#given = leg.answers;
    if (leg.push !== undefined) return;
    this.#controller = new AbortController();
    this.#follow(leg);
  }

  /** Aborted when the client cancels the call, or goes. */
  get signal(): AbortSignal {
    return this.#controller?.signal ?? this.#leg.signal;
  }

  /** Cancels a call that waits for another request; one that has its request ends with that, or with the session. */
  cancel(reason: unknown): void {
    this.#controller?.abort(reason);
  }

  /** The call goes on in another request. */
  resume(leg: CallLeg): void {
    this.#leg = leg;
    this.#given = { ...this.#given, ...leg.answers };
    this.#follow(leg);
    for (const [key, question] of this.#questions) {
      const answer = this.#takeAnswer(key);
      if (answer === undefined) continue;
      this.#questions.delete(key);
      question.resolve(answer);
    }
  }

  canRequest(request: InputRequest): boolean {
    return isAnswerable(request, this.#leg.capabilities);
  }

  log(level: LoggingLevel, data: unknown): Promise<void> {
    return this.#leg.log(level, data);
  }

  /** Asks the client. Errors: `unsupported` when it cannot answer, `transport` when the request fails. */
  async request(key: string, request: InputRequest): Promise<Readonly<Record<string, unknown>>> {
    if (!this.canRequest(request)) {
      throw new ToolError(
        'unsupported',
        `The MCP client does not declare what ${request.method} needs; do without it.`,
        {
          reason: 'client_capability',
          fields: { required_capabilities: requiredFor(request) },
        },
      );
    }
    const { signal } = this;
    signal.throwIfAborted();
    const { push } = this.#leg;
    if (push !== undefined) return this.#pushed(push, request);
    const given = this.#takeAnswer(key);
    if (given !== undefined) return given;
    return new Promise((resolve, reject) => {
      const abandon = (): void => {
        this.#questions.delete(key);
        reject(signal.reason);
      };
      signal.addEventListener('abort', abandon, { once: true });
      this.#questions.set(key, {
        request,
        resolve: (answer) => {
          signal.removeEventListener('abort', abandon);
          resolve(answer);
        },
      });
      this.#onQuestion?.();
    });
  }

  /** Waits for the end of this leg. What is asked at about the same time is asked together. */
  async end(result: Promise<ToolResult>): Promise<LegEnd> {
    if (this.#controller === undefined) return { kind: 'done', result: await result };
    const done = result.then((value): LegEnd => ({ kind: 'done', result: value }));
    const asks = new Promise<LegEnd>((resolve) => {
      const tell = (): void => {
        setImmediate(() => {
          const requests = Object.fromEntries(
            [...this.#questions].map(([key, { request }]) => [key, request]),
          );
          // All may have been abandoned since.
          if (Object.keys(requests).length > 0) resolve({ kind: 'asks', requests });
        });
      };
      this.#onQuestion = tell;
      if (this.#questions.size > 0) tell();
    });
    try {
      return await Promise.race([done, asks]);
    } finally {
      this.#onQuestion = undefined;
      // Once it is answered, the request's signal may be aborted and mean nothing.
      this.#stopFollowing();
    }
  }

  async #pushed(
    push: NonNullable<CallLeg['push']>,
    request: InputRequest,
  ): Promise<Readonly<Record<string, unknown>>> {
    try {
      const answer = await push(request, this.signal);
      return isRecord(answer) ? answer : {};
    } catch (error) {
      this.signal.throwIfAborted();
      throw new ToolError(
        'transport',
        `The MCP client did not answer ${request.method}; try again, or do without it.`,
        { reason: 'client_request', cause: error },
      );
    }
  }

  #takeAnswer(key: string): Readonly<Record<string, unknown>> | undefined {
    const { [key]: answer, ...rest } = this.#given;
    this.#given = rest;
    return isRecord(answer) ? answer : undefined;
  }

  #follow({ signal }: CallLeg): void {
    const cancel = (): void => this.cancel(signal.reason);
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
    this.#stopFollowing = () => signal.removeEventListener('abort', cancel);
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
