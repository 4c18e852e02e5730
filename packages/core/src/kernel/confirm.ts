import type { ApprovalAnswer, Approver, PendingApproval } from '../approval/approval.ts';
import { ToolError } from '../errors/tool-error.ts';
import type { JsonObject } from '../json/json.ts';
import type { PolicyDecision } from '../policy/policy-decision.ts';
import type { PolicyRule } from '../policy/policy-rule.ts';
import type { Effect } from '../tool/effects.ts';
import { AwaitedAnswer } from './awaited-answer.ts';
import type { BoundCall } from './bound-call.ts';
import type { Verdict } from './call-request.ts';
import type { CallResult } from './call-result.ts';
import { emit } from './emit.ts';
import type { KernelSession } from './kernel-session.ts';
import { takeAnswer } from './take-answer.ts';
import { thrownMessage } from './thrown-message.ts';
import { hostCodeLimitMs, within } from './within.ts';

/** What `confirm` is handed beside the call. */
export interface ConfirmRequest {
  readonly decision: PolicyDecision;
  /** What is to be approved: the call's effects, or one that became known while running. */
  readonly effects: readonly Effect[];
  /** An answer that was given before the call. */
  readonly verdict?: Verdict | undefined;
  /** The call's own result, for whoever answers while it waits. */
  readonly result: CallResult;
}

/**
 * Stage 8: settles what policy asks. Resolves to other arguments when the person changed them; those must be
 * bound again. Errors: `confirmation_rejected`, `cancelled`.
 */
export async function confirm(
  session: KernelSession,
  call: BoundCall,
  request: ConfirmRequest,
): Promise<JsonObject | undefined> {
  call.invocation.stage = 'confirm';
  if (request.verdict !== undefined) {
    settleVerdict(session, call, { verdict: request.verdict, decision: request.decision });
    return undefined;
  }
  if (request.decision.decision === 'allow') return undefined;
  const { approvals } = session;
  const pending = createPending(session, call, request);
  // Before anybody can see that it is pending: an answer from outside is this call's from the first moment on.
  const person = new AwaitedAnswer();
  approvals.wait(pending.id, {
    settle: (answer) => person.give(answer),
    result: request.result.promise,
  });
  await approvals.add(pending, call.args);
  emit(session, call.invocation, () => ({
    type: 'confirmation_required',
    tool_id: call.invocation.id,
    tool_name: call.tool.name,
    args: call.args,
    approval: pending,
  }));
  let answer: ApprovalAnswer;
  let isApproved = false;
  try {
    answer = await ask(session, call, { pending, person });
    approvals.assertFresh(pending);
    isApproved = answer.decision === 'approve';
  } finally {
    approvals.endWait(pending.id);
    if (!isApproved) await approvals.drop(pending.id);
  }
  // Another call, here or in another process, may have used it meanwhile: once is all.
  if (isApproved) await approvals.take(pending.id);
  settle(session, call, { approval: pending, answer });
  const edited = answer.decision === 'approve' ? answer.arguments : undefined;
  if (edited === undefined) session.policy.approve(request.effects);
  return edited;
}

/** A pending approval for a call as it is bound now. */
export function createPending(
  session: KernelSession,
  call: BoundCall,
  request: Pick<ConfirmRequest, 'decision' | 'effects'>,
): PendingApproval {
  const { invocation, tool, args, digests } = call;
  const pending: PendingApproval = {
    id: session.nextId('approval'),
    session_id: session.id,
    call: { id: invocation.id, name: tool.name, arguments: args },
    origin: invocation.origin,
    digests,
    effects: request.effects,
    reason: request.decision.reason,
    grants: grantsOf(session, tool.name, request.effects),
    expires_at: session.approvals.expiry(),
  };
  return Object.freeze(session.sanitiser.active ? session.sanitiser.json(pending) : pending);
}

/** What can be remembered. A rule that holds a secret cannot: with the secret hidden it would be another rule. */
function grantsOf(
  session: KernelSession,
  tool: string,
  effects: readonly Effect[],
): readonly PolicyRule[] {
  const { policy, sanitiser } = session;
  const rules = policy.proposeGrants({ tool, effects });
  return Object.freeze(rules.filter((rule) => sanitiser.json(rule) === rule));
}

/**
 * An approval given before the call: it must be for exactly this call, and for all that the call would have to be asked
 * for now, unless the person changed it.
 */
function settleVerdict(
  session: KernelSession,
  call: BoundCall,
  given: { readonly verdict: Verdict; readonly decision: PolicyDecision },
): void {
  const { approval, answer } = given.verdict;
  const edited = answer.decision === 'approve' && answer.arguments !== undefined;
  const { definition, arguments: args } = call.digests;
  if (
    approval.call.name !== call.tool.name ||
    approval.digests.definition !== definition ||
    (!edited && approval.digests.arguments !== args)
  ) {
    throw voidApproval('The tool or its arguments have');
  }
  if (!edited && !coversAsked(session, approval, given.decision)) {
    throw voidApproval('What the call would touch has');
  }
  settle(session, call, given.verdict);
  // Changed arguments of a verdict are already those that the call was bound with.
  session.policy.approve(call.effects);
}

/** Whether a person was shown everything that is asked: a link may lead elsewhere by now, or one effect alone was put to them. */
function coversAsked(
  { sanitiser }: KernelSession,
  approval: PendingApproval,
  decision: PolicyDecision,
): boolean {
  const shown = approval.effects.map(toKey);
  return decision.effects
    .filter((asked) => asked.decision === 'ask')
    .every(({ effect }) => shown.includes(toKey(sanitiser.json(effect))));
}

function toKey({ kind, target, method = '' }: Effect): string {
  return JSON.stringify([kind, target, method]);
}

function voidApproval(what: string): ToolError {
  return new ToolError(
    'confirmation_rejected',
    `${what} changed since this approval was given; make the call again.`,
    { reason: 'approval_void' },
  );
}

function settle(session: KernelSession, call: BoundCall, verdict: Verdict): void {
  const { approval, answer } = verdict;
  const approved = answer.decision === 'approve';
  const reason = approved ? undefined : answer.reason;
  emit(session, call.invocation, () => ({
    type: 'confirmation_received',
    tool_id: call.invocation.id,
    approved,
    ...(reason === undefined ? {} : { reason }),
  }));
  if (!approved) {
    throw new ToolError(
      'confirmation_rejected',
      `The person at the session declined this call of ${call.tool.name}; do not repeat it unless they ask for it.`,
      { reason: 'rejected', ...(reason === undefined ? {} : { detail: reason }) },
    );
  }
  if (answer.remember === true) session.policy.grant(approval.grants);
}

async function ask(
  session: KernelSession,
  call: BoundCall,
  asked: { readonly pending: PendingApproval; readonly person: AwaitedAnswer },
): Promise<ApprovalAnswer> {
  const { pending, person } = asked;
  for (const hooks of session.hooks) {
    if (hooks.permissionRequest === undefined) continue;
    const answer = await askHook(session, call, { pending, hooks });
    // A hook is asked before a person and may decline for them; it cannot approve what they have declined.
    if (answer?.decision === 'reject') return answer;
    if (answer !== undefined) return person.given ?? answer;
    if (person.given?.decision === 'reject') return person.given;
  }
  if (person.given !== undefined) return person.given;
  const { approver } = session;
  if (approver === undefined) throw unattended(call, pending);
  return consult(approver, call, { pending, person });
}

/** The first answer: the approver's, or one that is given meanwhile. Rejects with the call's cancellation. */
function consult(
  approver: Approver,
  call: BoundCall,
  asked: { readonly pending: PendingApproval; readonly person: AwaitedAnswer },
): Promise<ApprovalAnswer> {
  const { pending, person } = asked;
  const { signal } = call.invocation;
  const consulted = async (): Promise<void> => {
    try {
      const answer = await approver(pending, { signal });
      if (answer !== undefined) person.give(takeAnswer(answer));
      else person.fail(unattended(call, pending));
    } catch {
      person.give({ decision: 'reject', reason: 'the approver failed' });
    }
  };
  void consulted();
  return within(() => person.answer, Infinity, call.invocation.stop);
}

function unattended(call: BoundCall, pending: PendingApproval): ToolError {
  return new ToolError(
    'confirmation_rejected',
    `This call of ${call.tool.name} needs a person's approval and nobody is there to give it: ${pending.reason}.`,
    { reason: 'no_approver' },
  );
}

async function askHook(
  session: KernelSession,
  call: BoundCall,
  asked: {
    readonly pending: PendingApproval;
    readonly hooks: KernelSession['hooks'][number];
  },
): Promise<ApprovalAnswer | undefined> {
  const { hooks, pending } = asked;
  const { signal } = call.invocation;
  try {
    const answer = await within(
      () => hooks.permissionRequest?.(pending, { signal }),
      hostCodeLimitMs,
      call.invocation.stop,
    );
    return answer === undefined ? undefined : takeAnswer(answer);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    emit(session, call.invocation, () => ({
      type: 'hook_failed',
      tool_id: call.invocation.id,
      hook: hooks.name ?? 'permissionRequest',
      stage: 'confirm',
      message: thrownMessage(error),
    }));
    return { decision: 'reject', reason: 'the permission hook failed' };
  }
}
