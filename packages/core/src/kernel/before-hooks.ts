import { ToolError } from '../errors/tool-error.ts';
import type { BeforeToolDecision, HookCall, Hooks } from '../hooks/hooks.ts';
import type { RegisteredTool } from '../session/tool-registry.ts';
import { emit } from './emit.ts';
import type { Invocation } from './invocation.ts';
import type { KernelSession } from './kernel-session.ts';
import { SignalOptions } from './stop.ts';
import { thrownMessage } from './thrown-message.ts';
import { validateArguments, type ValidArguments } from './validate-arguments.ts';
import { hostCodeLimitMs, within } from './within.ts';

/** What the before-hooks left of a call. */
export interface HookedArguments extends ValidArguments {
  /** Why hooks changed the arguments. */
  readonly rewrites: readonly string[];
}

/** Stage 4: each hook in order. Errors: `hook_denied`; a hook that fails denies. */
export async function runBeforeHooks(
  session: KernelSession,
  invocation: Invocation,
  bound: { readonly tool: RegisteredTool; readonly valid: ValidArguments },
): Promise<HookedArguments> {
  let { valid } = bound;
  const rewrites: string[] = [];
  const { stop } = invocation;
  const options = new SignalOptions(stop);
  let call = toHookCall(session, invocation, valid);
  for (const hooks of session.hooks) {
    if (hooks.beforeTool === undefined) continue;
    invocation.stage = 'before_hooks';
    let decision: BeforeToolDecision;
    try {
      const asked = call;
      decision = await within(
        () => hooks.beforeTool?.(asked, options) ?? ({ action: 'continue' } as const),
        hostCodeLimitMs,
        stop,
      );
      if (typeof decision !== 'object' || decision === null) {
        throw failed(hooks, 'answered nothing usable');
      }
    } catch (error) {
      if (stop.aborted) throw stop.reason;
      throw told(session, invocation, { hooks, error });
    }
    switch (decision.action) {
      case 'continue':
        break;
      case 'rewrite': {
        const again = validateArguments(invocation, bound.tool, decision.arguments);
        valid = { ...again, repairs: [...valid.repairs, ...again.repairs] };
        call = toHookCall(session, invocation, valid);
        rewrites.push(decision.reason ?? 'no reason given');
        break;
      }
      case 'deny':
        throw new ToolError(
          'hook_denied',
          `The host refused this call of ${invocation.name}; do it another way, or ask the person at the session.`,
          { detail: decision.reason },
        );
      case 'retry':
        throw new ToolError(
          'hook_denied',
          `The host put off this call of ${invocation.name}; repeat it after ${decision.retryAfterMs} ms.`,
          {
            reason: 'retry_later',
            detail: decision.reason,
            retryable: true,
            fields: { retry_after_ms: decision.retryAfterMs },
          },
        );
      default:
        throw failed(hooks, `answered ${JSON.stringify(decision satisfies never)}`);
    }
  }
  return { ...valid, rewrites };
}

/** The call as hooks see it. */
export function toHookCall(
  session: KernelSession,
  invocation: Invocation,
  valid: Pick<ValidArguments, 'args'>,
): HookCall {
  return Object.freeze({
    invocationId: invocation.id,
    parentId: invocation.parent?.id ?? null,
    sessionId: session.id,
    origin: invocation.origin,
    tool: invocation.name,
    arguments: valid.args,
  });
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
