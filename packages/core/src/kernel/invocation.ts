import type { Stage } from '../errors/error-type.ts';
import { ToolError } from '../errors/tool-error.ts';
import type { HookCall } from '../hooks/hooks.ts';
import type { Origin } from '../tool/tool-call.ts';
import type { Link } from './chain.ts';
import type { Deadline } from './deadline.ts';
import type { LockOwner } from './lock-table.ts';
import { onAbort } from './on-abort.ts';
import { Patience } from './patience.ts';
import { Stop, type Stopping, type StopSignal } from './stop.ts';

/** Where a call stands in its life; it ends in exactly one of the last four. */
export type InvocationState =
  | 'created'
  | 'gate_pending'
  | 'admitted'
  | 'running'
  | 'completed'
  | 'rejected'
  | 'cancelled'
  | 'failed';

/** Whether the life of a call goes on from one state to another. */
function leadsTo(from: InvocationState, to: InvocationState): boolean {
  switch (to) {
    case 'created':
      return false;
    case 'gate_pending':
      return from === 'created' || from === 'gate_pending';
    case 'admitted':
      return from === 'gate_pending';
    case 'running':
      return from === 'admitted';
    case 'completed':
      return from === 'created' || from === 'running';
    case 'rejected':
    case 'cancelled':
    case 'failed':
      return !['completed', 'rejected', 'cancelled', 'failed'].includes(from);
  }
}

/** The kernel's own record of one call; tools never see it. Authority of children is decided from it alone. */
export class Invocation implements LockOwner, Stopping {
  readonly id: string;
  readonly name: string;
  readonly parent: Invocation | undefined;
  readonly origin: Origin;
  readonly depth: number;
  /** By the host's clock. */
  readonly startedAt: number;
  /** Only looked at, for `prepare` and `explain`: no event tells of it. */
  readonly quiet: boolean;
  /** Set by *resolve*: whether the host named the tool's provider as a trusted orchestrator. */
  trustedOrchestrator = false;
  locksHeld = 0;
  /** That of its run; absent before. */
  deadline: Deadline | undefined;
  /** The call as hooks last saw it. */
  hookCall: HookCall | undefined;
  stage: Stage = 'resolve';
  #state: InvocationState = 'created';
  /** What stops the call, for the kernel itself; everybody else gets its `signal`. */
  readonly stop = new Stop();
  /** Most calls have one. */
  #sources: { readonly stop: Stop; readonly link: Link<Stopping> }[] | undefined;
  #unlink: (() => void)[] | undefined;
  #patience: Patience | undefined;

  constructor(options: {
    readonly id: string;
    readonly name: string;
    readonly parent: Invocation | undefined;
    readonly origin: Origin;
    readonly startedAt: number;
    readonly quiet?: boolean;
    /** Whoever can cancel the call: its session, and its parent or caller. */
    readonly stop?: Stop;
    readonly signals: readonly (StopSignal | undefined)[];
  }) {
    this.id = options.id;
    this.name = options.name;
    this.parent = options.parent;
    this.origin = options.origin;
    this.startedAt = options.startedAt;
    this.quiet = options.quiet ?? false;
    this.depth = options.parent === undefined ? 0 : options.parent.depth + 1;
    try {
      this.#follow(options.stop);
      for (const signal of options.signals) this.#follow(signal);
    } catch (error) {
      // A caller may hand over what is no signal; those that were followed already must not keep the call.
      this.unlink();
      throw error;
    }
  }

  get parentId(): string | null {
    return this.parent === undefined ? null : this.parent.id;
  }

  get state(): InvocationState {
    return this.#state;
  }

  /** For the next stretch of the call that waits for other code. */
  get patience(): Patience {
    if (this.#patience === undefined || this.#patience.isLeft) this.#patience = new Patience();
    return this.#patience;
  }

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  /** Moves on; a step that the life of a call does not have is a defect of the kernel. */
  enter(state: InvocationState): void {
    if (!leadsTo(this.#state, state)) {
      throw new TypeError(`Invocation ${this.id} cannot go from ${this.#state} to ${state}.`);
    }
    this.#state = state;
  }

  /** Ends the call from inside: its deadline has passed. */
  abort(reason: ToolError): void {
    this.stop.abort(reason);
  }

  /** Stops listening to whoever could cancel the call, and to the clock. */
  unlink(): void {
    this.#patience?.end();
    const sources = this.#sources;
    const unlink = this.#unlink;
    this.#sources = undefined;
    this.#unlink = undefined;
    if (sources !== undefined) for (const { stop, link } of sources) stop.unfollow(link);
    if (unlink !== undefined) for (const end of unlink) end();
  }

  /** One of those that can cancel the call has. */
  stopped(source: StopSignal): void {
    this.stop.abort(toCancellation(source.reason, this.name));
  }

  #follow(signal: StopSignal | undefined): void {
    if (signal === undefined) return;
    if (signal.aborted) this.stopped(signal);
    else if (signal instanceof Stop) {
      const source = { stop: signal, link: signal.follow(this) };
      // An array that is pushed to gets room for 17.
      if (this.#sources === undefined) this.#sources = [source];
      else this.#sources.push(source);
    } else (this.#unlink ??= []).push(onAbort(signal, () => this.stopped(signal)));
  }
}

/** The typed error for a call that somebody cancelled. */
export function toCancellation(reason: unknown, name: string): ToolError {
  if (ToolError.isInstance(reason)) return reason;
  return new ToolError('cancelled', `The call of ${name} was cancelled before it ended.`, {
    fields: { op: name },
    cause: reason,
  });
}
