import type { HookCall } from '../hooks/hooks.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import { toHookCall } from './before-hooks.ts';
import type { BoundCall } from './bound-call.ts';
import { emit } from './emit.ts';
import type { Invocation } from './invocation.ts';
import type { KernelSession } from './kernel-session.ts';
import type { Patience } from './patience.ts';
import { SignalOptions, Stop } from './stop.ts';
import { thrownMessage } from './thrown-message.ts';
import { hostCodeLimitMs } from './within.ts';

/** Stage 13: each hook in order sees the final result; what it does wrong is told and changes nothing. */
export function runAfterHooks(
  session: KernelSession,
  { invocation, args }: BoundCall,
  result: ToolResult,
): Promise<void> {
  invocation.stage = 'after_hooks';
  const told = toHookCall(session, invocation, args);
  return tellRest({ session, invocation, told, result, at: 0, over: new Stop() });
}

/** Which hook is told, and of what. */
interface Turn {
  readonly session: KernelSession;
  readonly invocation: Invocation;
  readonly told: HookCall;
  readonly result: ToolResult;
  at: number;
  /** The call is over; what is told is that the hook's own time is. */
  over: Stop;
}

/** Tells the hooks that were not told yet; one that fails or hangs is left, and the others after it are told. */
function tellRest(turn: Turn): Promise<void> {
  const { session, invocation } = turn;
  const telling = invocation.patience.during((patience) => tellEach(turn, patience));
  return telling.catch((error: unknown) => {
    turn.over.abort(error);
    emit(session, invocation, () => ({
      type: 'hook_failed',
      tool_id: invocation.id,
      hook: session.afterHooks[turn.at]?.name ?? 'afterTool',
      stage: 'after_hooks',
      message: thrownMessage(error),
    }));
    turn.at += 1;
    return tellRest(turn);
  });
}

async function tellEach(turn: Turn, patience: Patience): Promise<void> {
  const { afterHooks } = turn.session;
  for (; turn.at < afterHooks.length; turn.at += 1) {
    turn.over = new Stop();
    const options = new SignalOptions(turn.over);
    await patience.wait(
      afterHooks[turn.at]?.afterTool?.(turn.told, turn.result, options),
      hostCodeLimitMs,
    );
    patience.over();
  }
}
