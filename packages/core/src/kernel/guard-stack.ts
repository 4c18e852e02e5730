import { ToolError } from '../errors/tool-error.ts';
import type { Invocation } from './invocation.ts';

/** How many calls may stand above one another. */
export const maxDepth = 8;

/** Stage 2: refuses a call too deep, or of a tool that already stands above it. Errors: `recursion`. */
export function guardStack(invocation: Invocation): void {
  invocation.stage = 'guard';
  if (invocation.depth > maxDepth) {
    throw new ToolError(
      'recursion',
      `Calls are nested deeper than ${maxDepth} levels; do the work in fewer steps.`,
      { reason: 'too_deep' },
    );
  }
  for (let above = invocation.parent; above !== undefined; above = above.parent) {
    if (above.name === invocation.name) {
      throw new ToolError(
        'recursion',
        `${invocation.name} is already running above this call and cannot call itself; call the tools it needs directly.`,
        { reason: 'already_running' },
      );
    }
  }
}
