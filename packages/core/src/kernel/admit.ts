import type { BudgetUsage } from '../budget/budget.ts';
import { ToolError } from '../errors/tool-error.ts';
import type { BoundCall } from './bound-call.ts';
import type { CallRequest } from './call-request.ts';
import { reserveBudget } from './check-budget.ts';
import type { KernelSession } from './kernel-session.ts';
import type { Place } from './lanes.ts';
import type { LockLease } from './lock-table.ts';
import { toLockTarget, type LockTarget } from './lock-target.ts';
import { isPending, whenReady, type Ready } from './when-ready.ts';

/** What a call holds while it runs. */
export interface Admission {
  /** Locks more targets, for effects that became known while running. */
  extend(targets: readonly LockTarget[]): Promise<void>;
  /** Gives locks and lane back; the last act of a call's run. */
  release(): void;
  /** Settles the budget, once; absent where there is none. */
  readonly settle: ((usage: BudgetUsage) => Promise<void>) | undefined;
}

/**
 * Stage 9: reserves budget, then waits for a lane and for the locks of what the call declared. Orchestrators
 * hold neither, since their children need both, and calls whose session holds them need none. Errors: `budget_exceeded`, `cancelled`, `version_conflict`
 * (`deadlock`).
 */
export function admit(
  session: KernelSession,
  call: BoundCall,
  { sharesAdmission = false }: Pick<CallRequest, 'sharesAdmission'> = {},
): Ready<Admission> {
  const isFree = call.tool.tool.orchestrator || sharesAdmission;
  call.invocation.stage = 'admit';
  if (session.budget === undefined) return new Held(session, call, undefined).take(isFree);
  return reserveBudget(session, call.invocation).then((settle) =>
    new Held(session, call, settle).take(isFree),
  );
}

class Held implements Admission {
  readonly settle: Admission['settle'];
  readonly #session: KernelSession;
  readonly #call: BoundCall;
  #isFree = false;
  #place: Place | undefined;
  #declared: LockLease | undefined;
  readonly #leases: LockLease[] = [];
  #released = false;

  constructor(session: KernelSession, call: BoundCall, settle: Admission['settle']) {
    this.#session = session;
    this.#call = call;
    this.settle = settle;
  }

  /** Takes lane and locks; what it could not take it gives back. */
  take(isFree: boolean): Ready<Admission> {
    this.#isFree = isFree;
    if (isFree) return this.#admitted();
    try {
      const taken = whenReady(this.#enterLane(), (place) => {
        this.#place = place;
        return whenReady(this.#lockDeclared(), (lease) => {
          this.#declared = lease;
          return this.#admitted();
        });
      });
      return isPending(taken) ? taken.catch((error) => this.#refused(error)) : taken;
    } catch (error) {
      return this.#refused(error);
    }
  }

  async extend(targets: readonly LockTarget[]): Promise<void> {
    if (this.#isFree) return;
    const { invocation } = this.#call;
    const lease = await this.#session.locks.acquire(invocation, targets, invocation.stop);
    if (!this.#released) {
      this.#leases.push(lease);
      return;
    }
    // The call ended while an effect that it did not wait for was still being admitted.
    lease.release();
    throw new ToolError('cancelled', 'The call has ended; nothing more can be admitted.', {
      reason: 'ended',
    });
  }

  release(): void {
    this.#released = true;
    for (let lease = this.#leases.pop(); lease !== undefined; lease = this.#leases.pop()) {
      lease.release();
    }
    this.#declared?.release();
    this.#declared = undefined;
    this.#place?.release();
    this.#place = undefined;
  }

  #enterLane(): Ready<Place> {
    const { tool, capabilities, invocation } = this.#call;
    return this.#session.lanes.enter(tool.name, capabilities.maxParallelism, invocation.stop);
  }

  #lockDeclared(): Ready<LockLease> {
    const { invocation, effects } = this.#call;
    const targets: LockTarget[] = [];
    for (const effect of effects) {
      const target = toLockTarget(effect, this.#session.workspace.folding);
      if (target !== undefined) targets.push(target);
    }
    return this.#session.locks.acquire(invocation, targets, invocation.stop);
  }

  #admitted(): Admission {
    this.#call.invocation.enter('admitted');
    return this;
  }

  async #refused(error: unknown): Promise<never> {
    this.release();
    await this.settle?.({ outputBytes: 0, durationMs: 0 });
    throw error;
  }
}
