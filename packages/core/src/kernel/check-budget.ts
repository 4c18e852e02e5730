import type { BudgetDecision, BudgetRequest, BudgetUsage } from '../budget/budget.ts';
import { ToolError } from '../errors/tool-error.ts';
import { emit } from './emit.ts';
import type { Invocation } from './invocation.ts';
import type { KernelSession } from './kernel-session.ts';
import { hostCodeLimitMs, within } from './within.ts';

/** Stage 7: asks the budget before anybody is asked. Errors: `budget_exceeded`; a budget that fails denies. */
export async function checkBudget(session: KernelSession, invocation: Invocation): Promise<void> {
  invocation.stage = 'budget';
  await consult(session, invocation, 'check');
}

/** Counts the call as running; the returned function settles it, once. Errors: as `checkBudget`. */
export async function reserveBudget(
  session: KernelSession,
  invocation: Invocation,
): Promise<(usage: BudgetUsage) => Promise<void>> {
  const { budget } = session;
  if (budget === undefined) return async () => {};
  await consult(session, invocation, 'reserve');
  let settled = false;
  return async (usage) => {
    if (settled) return;
    settled = true;
    try {
      await within(() => budget.settle(toRequest(session, invocation), usage), hostCodeLimitMs);
    } catch {
      // The call has ended: what its accounts do wrong must not change its result.
    }
  };
}

async function consult(
  session: KernelSession,
  invocation: Invocation,
  step: 'check' | 'reserve',
): Promise<void> {
  const { budget } = session;
  if (budget === undefined) return;
  let answer: BudgetDecision | Promise<BudgetDecision> | undefined;
  let decision: BudgetDecision;
  try {
    decision = await within(
      () => (answer = budget[step](toRequest(session, invocation))),
      hostCodeLimitMs,
      invocation.stop,
    );
    if (!['allow', 'soft', 'deny'].includes(decision.decision)) {
      throw new TypeError('The budget gave no decision.');
    }
  } catch (error) {
    if (step === 'reserve') void giveBack(session, invocation, answer);
    if (invocation.stop.aborted) throw invocation.stop.reason;
    throw new ToolError(
      'budget_exceeded',
      'The budget could not be checked, so the call was refused.',
      {
        reason: 'budget_failed',
        cause: error,
      },
    );
  }
  if (decision.decision === 'allow') return;
  const { resource, consumed, limit, message } = decision;
  emit(session, invocation, () => ({
    type: 'budget_threshold_hit',
    resource,
    kind: decision.decision === 'soft' ? 'soft' : 'hard',
    consumed,
    limit,
    ...(message === undefined ? {} : { message }),
  }));
  if (decision.decision === 'soft') return;
  throw new ToolError(
    'budget_exceeded',
    `The budget for ${resource} is used up (${consumed} of ${limit}); finish with what you have.`,
    {
      fields: { resource, consumed, limit },
      ...(message === undefined ? {} : { detail: message }),
    },
  );
}

/** A reservation that is made after its call has gone: nobody else would settle it. */
async function giveBack(
  session: KernelSession,
  invocation: Invocation,
  answer: BudgetDecision | Promise<BudgetDecision> | undefined,
): Promise<void> {
  try {
    const decision = (await answer)?.decision;
    if (decision !== 'allow' && decision !== 'soft') return;
    await session.budget?.settle(toRequest(session, invocation), { outputBytes: 0, durationMs: 0 });
  } catch {
    // A budget that failed has reserved nothing, and the call has its answer.
  }
}

function toRequest(session: KernelSession, invocation: Invocation): BudgetRequest {
  return { sessionId: session.id, invocationId: invocation.id, tool: invocation.name };
}
