import type { BudgetUsage } from '../budget/budget.ts';
import { ToolError } from '../errors/tool-error.ts';
import type { BoundCall } from './bound-call.ts';
import type { CallRequest } from './call-request.ts';
import { reserveBudget } from './check-budget.ts';
import type { KernelSession } from './kernel-session.ts';
import { toLockTarget, type LockTarget } from './lock-target.ts';

/** What a call holds while it runs. */
export interface Admission {
  /** Locks more targets, for effects that became known while running. */
  extend(targets: readonly LockTarget[]): Promise<void>;
  /** Gives locks and lane back; the last act of a call's run. */
  release(): void;
  /** Settles the budget, once. */
  settle(usage: BudgetUsage): Promise<void>;
}

/**
 * Stage 9: reserves budget, then waits for a lane and for the locks of what the call declared. Orchestrators
 * hold neither, since their children need both, and calls whose session holds them need none. Errors: `budget_exceeded`, `cancelled`, `version_conflict`
 * (`deadlock`).
 */
export async function admit(
  session: KernelSession,
  call: BoundCall,
  { sharesAdmission = false }: Pick<CallRequest, 'sharesAdmission'> = {},
): Promise<Admission> {
  const { invocation, tool, capabilities } = call;
  const isFree = tool.tool.orchestrator || sharesAdmission;
  invocation.stage = 'admit';
  const settle = await reserveBudget(session, invocation);
  const held: (() => void)[] = [];
  let released = false;
  const release = (): void => {
    released = true;
    for (const give of held.splice(0).reverse()) give();
  };
  const lock = async (targets: readonly LockTarget[]): Promise<void> => {
    const lease = await session.locks.acquire(invocation, targets, invocation.signal);
    if (!released) {
      held.push(() => lease.release());
      return;
    }
    // The call ended while an effect that it did not wait for was still being admitted.
    lease.release();
    throw new ToolError('cancelled', 'The call has ended; nothing more can be admitted.', {
      reason: 'ended',
    });
  };
  try {
    if (!isFree) {
      held.push(
        await session.lanes.enter(tool.name, capabilities.maxParallelism, invocation.signal),
      );
      const { folding } = session.workspace;
      await lock(
        call.effects
          .map((effect) => toLockTarget(effect, folding))
          .filter((target) => target !== undefined),
      );
    }
  } catch (error) {
    release();
    await settle({ outputBytes: 0, durationMs: 0 });
    throw error;
  }
  invocation.enter('admitted');
  return { extend: isFree ? async () => {} : lock, release, settle };
}
