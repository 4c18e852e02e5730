import type { ApprovalDigests } from '../approval/approval.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import type { RegisteredTool } from '../session/tool-registry.ts';
import type { ToolCapabilities } from '../tool/capabilities.ts';
import type { Effect } from '../tool/effects.ts';
import type { Invocation } from './invocation.ts';

/** A change of the arguments that the kernel made, for `metadata.repairs` and `metadata.clamped`. */
export interface ArgumentChange {
  readonly path: string;
  readonly from: JsonValue;
  readonly to: JsonValue;
}

/** A call whose arguments are final: validated, frozen, and described by its own tool. */
export interface BoundCall {
  readonly invocation: Invocation;
  readonly tool: RegisteredTool;
  readonly args: JsonObject;
  readonly repairs: readonly ArgumentChange[];
  readonly clamped: readonly ArgumentChange[];
  /** Why hooks changed the arguments, for the model. */
  readonly rewrites: readonly string[];
  readonly capabilities: ToolCapabilities;
  /** File targets are real workspace paths. */
  readonly effects: readonly Effect[];
  readonly digests: ApprovalDigests;
}
