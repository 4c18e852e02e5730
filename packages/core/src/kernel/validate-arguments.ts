import { ToolError } from '../errors/tool-error.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import type { RegisteredTool } from '../session/tool-registry.ts';
import type { ArgumentRepair, ClampedArgument } from '../validation/repair-arguments.ts';
import type { Invocation } from './invocation.ts';

/** Arguments that the tool's schema admits: a private, frozen copy. */
export interface ValidArguments {
  readonly args: JsonObject;
  readonly repairs: readonly ArgumentRepair[];
  readonly clamped: readonly ClampedArgument[];
}

/** Stage 3: repairs and validates. Errors: `invalid_argument`, with every key that is wrong. */
export function validateArguments(
  invocation: Invocation,
  tool: RegisteredTool,
  given: JsonValue | undefined,
): ValidArguments {
  invocation.stage = 'validate';
  const checked = tool.validator.validate(given);
  if (checked.valid) {
    return { args: checked.value, repairs: checked.repairs, clamped: checked.clamped };
  }
  throw new ToolError(
    'invalid_argument',
    `${tool.name} cannot take these arguments: ${checked.message}. Change them and call again.`,
    {
      reason: checked.reason ?? 'schema',
      fields: {
        errors: checked.errors.map(({ path, keyword, message }) => ({ path, keyword, message })),
      },
    },
  );
}
