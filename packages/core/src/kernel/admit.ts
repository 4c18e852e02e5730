import type { BudgetUsage } from '../budget/budget.ts';
import { ToolError } from '../errors/tool-error.ts';
import type { Effect } from '../tool/effects.ts';
import type { PathFolding } from '../workspace/workspace.ts';
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
  /** Settles the budget, once; absent where there is none. */
  readonly settle: ((usage: BudgetUsage) => Promise<void>) | undefined;
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
  const settle =
    session.budget === undefined ? undefined : await reserveBudget(session, invocation);
  const held: (() => void)[] = [];
  let released = false;
  const release = (): void => {
    released = true;
    for (let give = held.pop(); give !== undefined; give = held.pop()) give();
  };
  const lock = async (targets: readonly LockTarget[]): Promise<void> => {
    const lease = await session.locks.acquire(invocation, targets, invocation.stop);
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
      const entered = session.lanes.enter(tool.name, capabilities.maxParallelism, invocation.stop);
      held.push(entered instanceof Promise ? await entered : entered);
      const targets = lockTargets(call.effects, session.workspace.folding);
      const taken = session.locks.acquire(invocation, targets, invocation.stop);
      const lease = taken instanceof Promise ? await taken : taken;
      held.push(() => lease.release());
    }
  } catch (error) {
    release();
    await settle?.({ outputBytes: 0, durationMs: 0 });
    throw error;
  }
  invocation.enter('admitted');
  return { extend: isFree ? async () => {} : lock, release, settle };
}

function lockTargets(effects: readonly Effect[], folding: PathFolding): readonly LockTarget[] {
  const targets: LockTarget[] = [];
  for (const effect of effects) {
    const target = toLockTarget(effect, folding);
    if (target !== undefined) targets.push(target);
  }
  return targets;
}
