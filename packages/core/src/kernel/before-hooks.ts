import { ToolError } from '../errors/tool-error.ts';
import type { BeforeToolDecision, HookCall, Hooks } from '../hooks/hooks.ts';
import type { JsonObject } from '../json/json.ts';
import type { RegisteredTool } from '../session/tool-registry.ts';
import { emit } from './emit.ts';
import type { Invocation } from './invocation.ts';
import type { KernelSession } from './kernel-session.ts';
import type { Patience } from './patience.ts';
import { SignalOptions } from './stop.ts';
import { takeDecision } from './take-decision.ts';
import { thrownMessage } from './thrown-message.ts';
import { validateArguments, type ValidArguments } from './validate-arguments.ts';
import type { Ready } from './when-ready.ts';
import { hostCodeLimitMs } from './within.ts';

/** What the before-hooks left of a call. */
export interface HookedArguments extends ValidArguments {
  /** Why hooks changed the arguments. */
  readonly rewrites: readonly string[];
}

/** Stage 4: each hook in order. Errors: `hook_denied`; a hook that fails denies. */
export function runBeforeHooks(
  session: KernelSession,
  invocation: Invocation,
  { tool, valid, patience }: BeforeHooksRequest,
): Ready<HookedArguments> {
  const { args, repairs, clamped } = valid;
  const unchanged: HookedArguments = { args, repairs, clamped, rewrites: [] };
  if (session.beforeHooks.length === 0) return unchanged;
  return askInTurn(session, invocation, { tool, unchanged, patience });
}

/** What before-hooks need beside the call. */
interface BeforeHooksRequest {
  readonly tool: RegisteredTool;
  readonly valid: ValidArguments;
  readonly patience: Patience;
}

async function askInTurn(
  session: KernelSession,
  invocation: Invocation,
  bound: {
    readonly tool: RegisteredTool;
    readonly unchanged: HookedArguments;
    readonly patience: Patience;
  },
): Promise<HookedArguments> {
  const { patience } = bound;
  let hooked = bound.unchanged;
  let call = toHookCall(session, invocation, hooked.args);
  const { beforeHooks } = session;
  for (let index = 0; index < beforeHooks.length; index += 1) {
    const hooks = beforeHooks[index] ?? {};
    invocation.stage = 'before_hooks';
    const refusal = (error: unknown): ToolError => told(session, invocation, { hooks, error });
    let decision: BeforeToolDecision;
    try {
      const answer: unknown = hooks.beforeTool?.(call, new SignalOptions(invocation.stop));
      decision = takeDecision(await patience.wait(answer, hostCodeLimitMs, refusal));
    } catch (error) {
      patience.over();
      if (invocation.stop.aborted) throw invocation.stop.reason;
      throw refusal(error);
    }
    patience.over();
    if (decision.action === 'continue') continue;
    const changed = rewritten(invocation, decision);
    const again = validateArguments(invocation, bound.tool, changed.arguments);
    hooked = {
      args: again.args,
      repairs: [...hooked.repairs, ...again.repairs],
      clamped: again.clamped,
      rewrites: [...hooked.rewrites, changed.reason ?? 'no reason given'],
    };
    call = toHookCall(session, invocation, hooked.args);
  }
  return hooked;
}

/** The new arguments; every other decision refuses the call. */
function rewritten(
  { name }: Invocation,
  decision: Exclude<BeforeToolDecision, { readonly action: 'continue' }>,
): Extract<BeforeToolDecision, { readonly action: 'rewrite' }> {
  switch (decision.action) {
    case 'rewrite':
      return decision;
    case 'deny':
      throw new ToolError(
        'hook_denied',
        `The host refused this call of ${name}; do it another way, or ask the person at the session.`,
        toDetail(decision.reason),
      );
    case 'retry':
      throw new ToolError(
        'hook_denied',
        `The host put off this call of ${name}; repeat it after ${decision.retryAfterMs} ms.`,
        {
          reason: 'retry_later',
          ...toDetail(decision.reason),
          retryable: true,
          fields: { retry_after_ms: decision.retryAfterMs },
        },
      );
  }
}

function toDetail(reason: string): { readonly detail?: string } {
  return reason === '' ? {} : { detail: reason };
}

/** The call as hooks see it: before and after a run that nobody changed, the same. */
export function toHookCall(
  session: KernelSession,
  invocation: Invocation,
  args: JsonObject,
): HookCall {
  if (invocation.hookCall?.arguments === args) return invocation.hookCall;
  invocation.hookCall = Object.freeze({
    invocationId: invocation.id,
    parentId: invocation.parentId,
    sessionId: session.id,
    origin: invocation.origin,
    tool: invocation.name,
    arguments: args,
  });
  return invocation.hookCall;
}

/** Tells listeners of a hook that failed; the refusal that comes of it. */
function told(
  session: KernelSession,
  invocation: Invocation,
  failure: { readonly hooks: Hooks; readonly error: unknown },
): ToolError {
  const { hooks, error } = failure;
  const message = thrownMessage(error);
  emit(session, invocation, () => ({
    type: 'hook_failed',
    tool_id: invocation.id,
    hook: hooks.name ?? 'beforeTool',
    stage: 'before_hooks',
    message,
  }));
  return ToolError.isInstance(error) ? error : failed(hooks, message);
}

function failed(hooks: Hooks, detail: string): ToolError {
  return new ToolError(
    'hook_denied',
    `The host's check ${JSON.stringify(hooks.name ?? 'beforeTool')} failed, so the call was refused.`,
    { reason: 'hook_failed', detail },
  );
}
