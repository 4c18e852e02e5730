import type { ToolResult } from '../tool/tool-result.ts';
import { admit } from './admit.ts';
import { runAfterHooks } from './after-hooks.ts';
import { runBeforeHooks } from './before-hooks.ts';
import type { BoundCall } from './bound-call.ts';
import type { CallRequest } from './call-request.ts';
import { checkBudget } from './check-budget.ts';
import { confirm } from './confirm.ts';
import { decidePolicy } from './decide-policy.ts';
import { describeCall } from './describe-call.ts';
import { begin, end } from './begin-and-end.ts';
import { guardStack } from './guard-stack.ts';
import type { Invocation } from './invocation.ts';
import type { KernelSession } from './kernel-session.ts';
import { invokeNested } from './invoke-nested.ts';
import { projectResult, toFailure, type Outcome } from './project-result.ts';
import { resolveTool } from './resolve-tool.ts';
import { runTool } from './run-tool.ts';
import { validateArguments } from './validate-arguments.ts';

/** Runs one call, and remembers it until it has ended: its caller may be gone before. */
export function invoke(session: KernelSession, request: CallRequest): Promise<ToolResult> {
  const call = runStages(session, request);
  session.running.add(call);
  const forget = (): void => void session.running.delete(call);
  call.then(forget, forget);
  return call;
}

/**
 * One call, from its name to its result: the only way to a tool, for every caller. Each stage is a line here
 * and a file beside this one. Never rejects: every failure is a result.
 */
async function runStages(session: KernelSession, request: CallRequest): Promise<ToolResult> {
  const begun = begin(session, request);
  const { invocation } = begun;
  let call: BoundCall | undefined;
  let outcome: Outcome;
  try {
    if (begun.refusal !== undefined) throw begun.refusal;
    call = await bind(session, invocation, request);
    let decision = decidePolicy(session, call);
    if (session.budget !== undefined) await checkBudget(session, invocation);
    const edited =
      decision.decision === 'allow' && request.verdict === undefined
        ? undefined
        : await confirm(session, call, {
            decision,
            effects: call.effects,
            verdict: request.verdict,
            result: begun.result,
          });
    if (edited !== undefined) {
      // What a person changed is a new call: it is bound and judged again, and only a deny still stops it.
      call = await bind(session, invocation, { ...request, arguments: edited });
      decision = decidePolicy(session, call);
      await checkBudget(session, invocation);
    }
    const admission = await admit(session, call, request);
    const run = await runTool(session, call, {
      admission,
      timeoutMs: request.timeoutMs,
      beforeRun: request.beforeRun,
      invokeNested: (parent, nested, options) =>
        invokeNested(session, { parent, call: nested, options, invoke }),
    });
    outcome = { kind: 'output', ...run };
  } catch (error) {
    outcome = toFailure(error, invocation);
  }
  let result: ToolResult;
  try {
    result = await projectResult(session, invocation, { outcome, call });
  } catch (error) {
    // A result that cannot even be read is a failure of its tool.
    outcome = toFailure(error, invocation);
    result = await projectResult(session, invocation, { outcome, call });
  }
  if (call !== undefined && session.hooks.length > 0) await runAfterHooks(session, call, result);
  result = end(session, invocation, { result, call });
  begun.settle(result);
  return result;
}

/** Stages 1 to 5: the tool, its arguments, and what the call says of itself. */
async function bind(
  session: KernelSession,
  invocation: Invocation,
  request: CallRequest,
): Promise<BoundCall> {
  const tool = resolveTool(session, invocation, request);
  guardStack(invocation);
  const valid = validateArguments(invocation, tool, request.arguments);
  const hooked = await runBeforeHooks(session, invocation, { tool, valid });
  return describeCall(session, invocation, { tool, hooked });
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
