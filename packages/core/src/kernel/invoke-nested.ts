import type { ToolCall } from '../tool/tool-call.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { CallAuthority } from './call-authority.ts';
import type { CallRequest } from './call-request.ts';

/** What a parent may say of a child. */
export interface NestedRequest extends Pick<CallRequest, 'allowedTools' | 'beforeRun'> {
  readonly signal: AbortSignal | undefined;
}

/**
 * A call by a tool: through every stage, as its parent's child. Its authority is the parent's own record:
 * a child of the host's call of an orchestrator that the host named is the host's, any other is nested.
 */
export function invokeNested(
  { session, call, lifetime, options }: CallAuthority,
  nested: ToolCall,
  request: NestedRequest,
): Promise<ToolResult> {
  const parent = call.invocation;
  const byHost = parent.origin === 'host' || parent.origin === 'host-nested';
  return options.invoke(session, {
    id: nested.id ?? session.nextId('nested'),
    name: nested.name,
    arguments: nested.arguments,
    origin: byHost && parent.trustedOrchestrator ? 'host-nested' : 'nested',
    parent,
    signals: [parent.stop, lifetime, request.signal],
    allowedTools: request.allowedTools,
    beforeRun: request.beforeRun,
  });
}
