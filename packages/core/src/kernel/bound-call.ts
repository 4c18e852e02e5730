import type { ApprovalDigests } from '../approval/approval.ts';
import type { JsonObject } from '../json/json.ts';
import type { RegisteredTool } from '../session/tool-registry.ts';
import type { ToolCapabilities } from '../tool/capabilities.ts';
import type { Effect } from '../tool/effects.ts';
import type { ArgumentRepair, ClampedArgument } from '../validation/repair-arguments.ts';
import type { Invocation } from './invocation.ts';

/** A call whose arguments are final: validated, frozen, and described by its own tool. */
export interface BoundCall {
  readonly invocation: Invocation;
  readonly tool: RegisteredTool;
  readonly args: JsonObject;
  readonly repairs: readonly ArgumentRepair[];
  readonly clamped: readonly ClampedArgument[];
  /** Why hooks changed the arguments, for the model. */
  readonly rewrites: readonly string[];
  readonly capabilities: ToolCapabilities;
  /** File targets are real workspace paths. */
  readonly effects: readonly Effect[];
  readonly digests: ApprovalDigests;
}
