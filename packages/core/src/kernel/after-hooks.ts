import type { HookCall } from '../hooks/hooks.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import { toHookCall } from './before-hooks.ts';
import type { BoundCall } from './bound-call.ts';
import { emit } from './emit.ts';
import type { KernelSession } from './kernel-session.ts';
import type { Patience } from './patience.ts';
import { SignalOptions, Stop } from './stop.ts';
import { thrownMessage } from './thrown-message.ts';
import { hostCodeLimitMs } from './within.ts';

/** Stage 13: each hook in order sees the final result; what it does wrong is told and changes nothing. */
export async function runAfterHooks(
  session: KernelSession,
  call: BoundCall,
  result: ToolResult,
): Promise<void> {
  const { invocation } = call;
  invocation.stage = 'after_hooks';
  const turn: Turn = {
    session,
    told: toHookCall(session, invocation, call.args),
    result,
    at: 0,
    over: undefined,
  };
  for (; turn.at < session.afterHooks.length; turn.at += 1) {
    try {
      await invocation.patience.during((patience) => tellFrom(turn, patience));
    } catch (error) {
      turn.over?.abort(error);
      emit(session, invocation, () => ({
        type: 'hook_failed',
        tool_id: invocation.id,
        hook: session.afterHooks[turn.at]?.name ?? 'afterTool',
        stage: 'after_hooks',
        message: thrownMessage(error),
      }));
    }
  }
}

/** Which hook is told, and of what. */
interface Turn {
  readonly session: KernelSession;
  readonly told: HookCall;
  readonly result: ToolResult;
  at: number;
  /** The call is over; what is told is that the hook's own time is. */
  over: Stop | undefined;
}

/** Tells one hook after the other, until one fails. */
async function tellFrom(turn: Turn, patience: Patience): Promise<void> {
  const { session, told, result } = turn;
  for (; turn.at < session.afterHooks.length; turn.at += 1) {
    turn.over = new Stop();
    const hooks = session.afterHooks[turn.at];
    try {
      const answer = hooks?.afterTool?.(told, result, new SignalOptions(turn.over));
      await patience.wait(answer, hostCodeLimitMs);
    } finally {
      patience.over();
    }
  }
}
