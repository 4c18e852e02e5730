import { ToolError } from '../errors/tool-error.ts';
import type { RegisteredTool } from '../session/tool-registry.ts';
import type { Promised } from './bound-parts.ts';

/**
 * The promise of a tool's output schema. None for tools from outside: what a foreign server promises and breaks is
 * its client's to tell, and no reason to lose a result.
 */
export function promisedOutput(registered: RegisteredTool | undefined): Promised | undefined {
  if (registered === undefined || registered.tool.untrusted) return undefined;
  const { outputValidator, name } = registered;
  if (outputValidator === undefined) return undefined;
  return {
    check: (structured) => {
      const { valid, message } = outputValidator.check(structured);
      if (!valid) throw broken(name, message);
    },
    broken: (how) => {
      throw broken(name, how);
    },
  };
}

function broken(tool: string, how: string): ToolError {
  return new ToolError(
    'internal',
    `${tool} broke what its output schema promises of structured content. That is a defect of the tool; do it another way.`,
    // May name what stands in the content.
    { reason: 'output_schema', detail: how },
  );
}
