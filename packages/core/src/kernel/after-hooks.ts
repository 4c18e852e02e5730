import type { ToolResult } from '../tool/tool-result.ts';
import { toHookCall } from './before-hooks.ts';
import type { BoundCall } from './bound-call.ts';
import { emit } from './emit.ts';
import type { KernelSession } from './kernel-session.ts';
import { SignalOptions, Stop } from './stop.ts';
import { thrownMessage } from './thrown-message.ts';
import { hostCodeLimitMs, within } from './within.ts';

/** Stage 13: each hook in order sees the final result; what it does wrong is told and changes nothing. */
export async function runAfterHooks(
  session: KernelSession,
  call: BoundCall,
  result: ToolResult,
): Promise<void> {
  const { invocation } = call;
  invocation.stage = 'after_hooks';
  const told = toHookCall(session, invocation, call.args);
  for (const hooks of session.afterHooks) {
    // The call is over; what is told is that the hook's own time is.
    const over = new Stop();
    const options = new SignalOptions(over);
    try {
      await within(() => hooks.afterTool?.(told, result, options), hostCodeLimitMs);
    } catch (error) {
      over.abort(error);
      emit(session, invocation, () => ({
        type: 'hook_failed',
        tool_id: invocation.id,
        hook: hooks.name ?? 'afterTool',
        stage: 'after_hooks',
        message: thrownMessage(error),
      }));
    }
  }
}
