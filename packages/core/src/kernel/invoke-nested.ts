import type { ToolCall } from '../tool/tool-call.ts';
import type { NestedCallOptions } from '../tool/tool-context.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { CallRequest } from './call-request.ts';
import type { Invocation } from './invocation.ts';
import type { KernelSession } from './kernel-session.ts';
import type { StopSignal } from './stop.ts';

/**
 * A call by a tool: through every stage, as its parent's child. Its authority is the parent's own record:
 * a child of the host's call of an orchestrator that the host named is the host's, any other is nested.
 */
export function invokeNested(
  session: KernelSession,
  nested: {
    readonly parent: Invocation;
    readonly call: ToolCall;
    readonly options: NestedCallOptions & { readonly lifetime: StopSignal };
    readonly invoke: (session: KernelSession, request: CallRequest) => Promise<ToolResult>;
  },
): Promise<ToolResult> {
  const { parent, call, options } = nested;
  const byHost = parent.origin === 'host' || parent.origin === 'host-nested';
  return nested.invoke(session, {
    id: call.id ?? session.nextId('nested'),
    name: call.name,
    arguments: call.arguments,
    origin: byHost && parent.trustedOrchestrator ? 'host-nested' : 'nested',
    parent,
    signals: [parent.stop, options.lifetime, options.signal],
    allowedTools: options.allowedTools,
    beforeRun: options.beforeRun,
  });
}
