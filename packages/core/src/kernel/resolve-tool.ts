import { ToolError } from '../errors/tool-error.ts';
import type { RegisteredTool } from '../session/tool-registry.ts';
import type { CallRequest } from './call-request.ts';
import type { Invocation } from './invocation.ts';
import type { KernelSession } from './kernel-session.ts';

/** Stage 1: the tool that a name means for this caller. Errors: `unknown_tool`, `permission_denied` (`not_allowed`). */
export function resolveTool(
  session: KernelSession,
  invocation: Invocation,
  request: CallRequest,
): RegisteredTool {
  invocation.stage = 'resolve';
  const { name } = request;
  const tool = request.internalTool ?? findTool(session, request);
  invocation.trustedOrchestrator = tool.trustedOrchestrator;
  if (request.allowedTools !== undefined && !request.allowedTools.includes(name)) {
    throw new ToolError(
      'permission_denied',
      `${name} is not in the list of tools that this call allows: ${list(request.allowedTools)}.`,
      { reason: 'not_allowed' },
    );
  }
  return tool;
}

function findTool(session: KernelSession, request: CallRequest): RegisteredTool {
  const { name, origin } = request;
  const { registry } = session;
  const tool = registry.get(name);
  if (tool === undefined) throw unknownTool(session, name);
  if (origin === 'host') return tool;
  const { visibility } = tool.tool;
  if (visibility === 'hidden' && request.allowedTools?.includes(name) !== true) {
    throw unknownTool(session, name);
  }
  if (visibility === 'deferred' && origin === 'agent' && !registry.isLoaded(name)) {
    throw new ToolError(
      'unknown_tool',
      `${name} is not loaded yet; call tool_search with the query "select:${name}" and then call it again.`,
      { reason: 'not_loaded', fields: { load_with: `select:${name}` } },
    );
  }
  return tool;
}

function unknownTool(session: KernelSession, name: string): ToolError {
  const absent = session.registry.absenceOf(name);
  if (absent !== undefined) {
    return new ToolError('unknown_tool', `${name} is not available here: ${absent}.`, {
      reason: 'absent',
    });
  }
  const nearest = session.registry.nearest(name);
  return new ToolError(
    'unknown_tool',
    nearest.length === 0
      ? `There is no tool named ${JSON.stringify(name)}.`
      : `There is no tool named ${JSON.stringify(name)}; the nearest are ${list(nearest)}.`,
    { fields: { nearest } },
  );
}

function list(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const shown = names.slice(0, 20).join(', ');
  return names.length > 20 ? `${shown} and ${names.length - 20} more` : shown;
}
