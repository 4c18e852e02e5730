import type { ApprovalAnswer, PendingApproval } from '../approval/approval.ts';
import type { ToolError } from '../errors/tool-error.ts';
import type { JsonValue } from '../json/json.ts';
import type { RegisteredTool } from '../session/tool-registry.ts';
import type { Origin } from '../tool/tool-call.ts';
import type { BeforeRun } from '../tool/tool-context.ts';
import type { Invocation } from './invocation.ts';
import type { StopSignal } from './stop.ts';

/** A pending approval together with what a person said to it. */
export interface Verdict {
  readonly approval: PendingApproval;
  readonly answer: ApprovalAnswer;
}

/** A call as it enters the kernel. Origin and parent are the session's own knowledge, never a caller's word. */
export interface CallRequest {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonValue | undefined;
  readonly origin: Origin;
  readonly parent?: Invocation;
  readonly signals: readonly (StopSignal | undefined)[];
  readonly timeoutMs?: number | undefined;
  /** An orchestrator's allow-list for its child. */
  readonly allowedTools?: readonly string[] | undefined;
  /** See `NestedCallOptions.beforeRun`. */
  readonly beforeRun?: BeforeRun | undefined;
  readonly verdict?: Verdict | undefined;
  /** Why the call goes no further than its beginning. */
  readonly refusal?: ToolError;
  /** The session itself holds the lane and the locks of the call, for several that may run side by side. */
  readonly sharesAdmission?: boolean;
  /** The session's own operation (undo), which no surface lists. */
  readonly internalTool?: RegisteredTool;
}
