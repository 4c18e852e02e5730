import type { PolicyDecision } from '../policy/policy-decision.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import { admit } from './admit.ts';
import { runAfterHooks } from './after-hooks.ts';
import { begin, end } from './begin-and-end.ts';
import { runBeforeHooks } from './before-hooks.ts';
import type { BoundCall } from './bound-call.ts';
import type { CallRequest } from './call-request.ts';
import { checkBudget } from './check-budget.ts';
import { confirm } from './confirm.ts';
import { decidePolicy } from './decide-policy.ts';
import { describeCall, tellEffects } from './describe-call.ts';
import { guardStack } from './guard-stack.ts';
import type { Invocation } from './invocation.ts';
import type { KernelSession } from './kernel-session.ts';
import { projectResult, toFailure, type Outcome } from './project-result.ts';
import { resolveTool } from './resolve-tool.ts';
import { runTool } from './run-tool.ts';
import { validateArguments } from './validate-arguments.ts';
import { isPending, type Ready } from './when-ready.ts';

/**
 * One call, from its name to its result: the only way to a tool, for every caller. Each stage is a line here and a file
 * beside this one. Every failure is a result; it rejects only for a signal that is none. The session counts the call until it
 * has ended: its caller may be gone before.
 */
export async function invoke(session: KernelSession, request: CallRequest): Promise<ToolResult> {
  session.running.begin();
  try {
    const begun = begin(session, request);
    const { invocation } = begun;
    let call: BoundCall | undefined;
    let outcome: Outcome;
    try {
      if (begun.refusal !== undefined) throw begun.refusal;
      call = await bind(session, invocation, request);
      const decision = decidePolicy(session, call);
      if (needsLeave(session, decision, request)) {
        if (session.budget !== undefined) await checkBudget(session, invocation);
        const asked = { decision, effects: call.effects, verdict: request.verdict };
        const edited = await confirm(session, call, { ...asked, result: begun.result });
        if (edited !== undefined) {
          // What a person changed is a new call: it is bound and judged again, and only a deny still stops it.
          call = await bind(session, invocation, { ...request, arguments: edited });
          decidePolicy(session, call);
          session.policy.approve(call.effects);
          await checkBudget(session, invocation);
        }
      }
      const admitted = admit(session, call, request);
      const admission = isPending(admitted) ? await admitted : admitted;
      const run = await runTool(session, call, {
        admission,
        request,
        invoke,
        result: begun.result,
      });
      outcome = { kind: 'output', output: run.output, projection: run.projection };
    } catch (error) {
      outcome = toFailure(error, invocation);
    }
    const projected = projectSafely(session, invocation, { outcome, call });
    const result = isPending(projected) ? await projected : projected;
    if (call !== undefined && session.afterHooks.length > 0) {
      await runAfterHooks(session, call, result);
    }
    end(session, invocation, { result, call });
    begun.result.settle(result);
    return result;
  } finally {
    session.running.end();
  }
}

/** Whether anybody has to be asked before the call may run: the budget, a person, or an answer given before. */
function needsLeave(
  session: KernelSession,
  { decision }: PolicyDecision,
  { verdict }: CallRequest,
): boolean {
  return session.budget !== undefined || decision !== 'allow' || verdict !== undefined;
}

/** Stages 1 to 5: the tool, its arguments, and what the call says of itself. */
function bind(
  session: KernelSession,
  invocation: Invocation,
  request: CallRequest,
): Promise<BoundCall> {
  return invocation.patience.during(async (patience) => {
    const tool = resolveTool(session, invocation, request);
    guardStack(invocation);
    const valid = validateArguments(invocation, tool, request.arguments);
    const asked = runBeforeHooks(session, invocation, { tool, valid, patience });
    const hooked = isPending(asked) ? await asked : asked;
    const told = tellEffects(session, invocation, { tool, args: hooked.args, patience });
    const effects = isPending(told) ? await told : told;
    patience.over();
    return describeCall(session, invocation, { tool, hooked, effects });
  }, invocation.stop);
}

/** Stages 11 and 12; a result that cannot even be read is a failure of its tool. */
function projectSafely(
  session: KernelSession,
  invocation: Invocation,
  given: { readonly outcome: Outcome; readonly call: BoundCall | undefined },
): Ready<ToolResult> {
  const failed = (error: unknown): Ready<ToolResult> =>
    projectResult(session, invocation, {
      outcome: toFailure(error, invocation),
      call: given.call,
    });
  try {
    const projected = projectResult(session, invocation, given);
    return isPending(projected) ? projected.catch(failed) : projected;
  } catch (error) {
    return failed(error);
  }
}

/** Stages 1 to 6 alone, for `prepare` and `explain`: nothing is asked, counted or run. */
export async function bindOnly(session: KernelSession, request: CallRequest): Promise<BoundCall> {
  const { invocation, refusal } = begin(session, request, 'quiet');
  try {
    if (refusal !== undefined) throw refusal;
    return await bind(session, invocation, request);
  } finally {
    invocation.unlink();
  }
}
