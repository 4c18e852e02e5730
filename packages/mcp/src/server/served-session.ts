import { randomUUID } from 'node:crypto';
import { canonicalJson, type JsonObject, type Session, type ToolResult } from '@toolwright/core';
import { CallEvents } from './call-events.ts';
import { CallRegistry } from './call-registry.ts';
import { ClientRoots } from './client-roots.ts';
import { createClient } from './create-client.ts';
import { RunningCall, type CallLeg, type LegEnd } from './running-call.ts';
import type { OpenSession } from './serve-options.ts';
import { ToolList } from './tool-list.ts';

/** Milliseconds that a call waits for the request that brings the answers it asked for. */
const answerLimitMs = 10 * 60_000;

/** Calls that wait for such a request at once, in one session. */
const maxWaitingCalls = 64;

interface WaitingCall {
  readonly call: RunningCall;
  readonly result: Promise<ToolResult>;
  /** What was called: the request that goes on must say the same. */
  readonly wanted: CallWanted;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** What a request of the client wants called. */
export interface CallWanted {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** How a leg ended, of which call of the kernel, and under which state the call can be resumed. */
export type ServedLegEnd = { readonly id: string } & (
  | Extract<LegEnd, { kind: 'done' }>
  | (Extract<LegEnd, { kind: 'asks' }> & { readonly state: string })
);

/** A change that a server tells its client. */
export type SessionChange = 'tools' | 'prompts' | 'resources' | { readonly resource: string };

interface Parts {
  readonly session: Session;
  readonly calls: CallRegistry;
  readonly roots: ClientRoots;
  readonly listeners: Set<(change: SessionChange) => void>;
}

/** The kernel session of one client, with the calls that it has running. */
export class ServedSession {
  readonly session: Session;
  readonly tools: ToolList;
  readonly events: CallEvents;
  readonly roots: ClientRoots;
  readonly #calls: CallRegistry;
  readonly #listeners: Set<(change: SessionChange) => void>;
  readonly #waiting = new Map<string, WaitingCall>();
  readonly #stopListening: () => void;
  #isReady = false;
  #closing: Promise<void> | undefined;

  /** Opens the kernel session for a client. Errors: what `open` throws. */
  static async open(open: OpenSession, principal?: string): Promise<ServedSession> {
    const calls = new CallRegistry();
    const roots = new ClientRoots();
    const listeners: Parts['listeners'] = new Set();
    let session: Session | undefined;
    const client = createClient({
      principal,
      calls,
      roots,
      changed: (change) => {
        for (const listener of listeners) listener(change);
      },
      session: () => session,
    });
    session = await open(client);
    return new ServedSession({ session, calls, roots, listeners });
  }

  private constructor({ session, calls, roots, listeners }: Parts) {
    this.session = session;
    this.roots = roots;
    this.#calls = calls;
    this.#listeners = listeners;
    this.tools = new ToolList(session);
    this.events = new CallEvents(session);
    this.#stopListening = session.catalog.subscribe(() => {
      for (const listener of listeners) listener('tools');
    });
  }

  /** Hears of changes; returns how to stop. */
  subscribe(listener: (change: SessionChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Tells those who listen of a change. */
  announce(change: SessionChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  /** Waits until what the session's tools come from is ready, or has failed, for the first time. */
  async ready(): Promise<void> {
    if (this.#isReady) return;
    await this.session.ready();
    this.#isReady = true;
  }

  /** An id for a call that is about to start. */
  nextId(): string {
    return `mcp-${randomUUID()}`;
  }

  /** Starts a call and waits until it is done or asks. */
  async start(id: string, wanted: CallWanted, leg: CallLeg): Promise<ServedLegEnd> {
    const call = new RunningCall(id, leg);
    this.#calls.add(call);
    const { name, arguments: args } = wanted;
    const result = this.session.invoke({ id, name, arguments: args }, { signal: call.signal });
    const remove = (): void => this.#calls.remove(call);
    result.then(remove, remove);
    return this.#endOf({ call, result, wanted });
  }

  /** The id of the call that waits under a state, if it is a call of exactly this. */
  waitingId(state: string, wanted: CallWanted): string | undefined {
    const waiting = this.#waiting.get(state);
    if (waiting === undefined || !isSame(waiting.wanted, wanted)) return undefined;
    return waiting.call.id;
  }

  /** Goes on with a call that waits. Each state is good for once. */
  async resume(state: string, leg: CallLeg): Promise<ServedLegEnd> {
    const waiting = this.#waiting.get(state);
    if (waiting === undefined) throw new TypeError('No call waits under this state.');
    this.#waiting.delete(state);
    clearTimeout(waiting.timer);
    waiting.call.resume(leg);
    return this.#endOf(waiting);
  }

  /** Cancels what runs and closes the kernel session; idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stopListening();
    this.#listeners.clear();
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    this.#calls.cancelAll(new Error('The connection was closed.'));
    await this.session.close();
  }

  async #endOf(running: Omit<WaitingCall, 'timer'>): Promise<ServedLegEnd> {
    const { call, result } = running;
    const end = await call.end(result);
    if (end.kind === 'done') return { ...end, id: call.id };
    if (this.#waiting.size >= maxWaitingCalls) {
      call.cancel(new Error('Too many calls wait for answers.'));
      return { kind: 'done', result: await result, id: call.id };
    }
    const state = randomUUID();
    const timer = setTimeout(() => {
      this.#waiting.delete(state);
      call.cancel(new Error('Nobody answered what the call asked.'));
    }, answerLimitMs);
    timer.unref();
    // The call may end by itself while it waits; its result is then for whoever resumes it.
    this.#waiting.set(state, { ...running, timer });
    return { ...end, id: call.id, state };
  }
}

function isSame(one: CallWanted, other: CallWanted): boolean {
  return one.name === other.name && canonicalJson(one.arguments) === canonicalJson(other.arguments);
}
