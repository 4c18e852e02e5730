import type { ApprovalAnswer, PendingApproval } from '../approval/approval.ts';
import type { JsonObject } from '../json/json.ts';
import type { Origin } from '../tool/tool-call.ts';
import type { ToolResult } from '../tool/tool-result.ts';

/** The call that a hook looks at. */
export interface HookCall {
  readonly invocationId: string;
  readonly parentId: string | null;
  readonly sessionId: string;
  readonly origin: Origin;
  readonly tool: string;
  /** Validated arguments, deeply frozen. */
  readonly arguments: JsonObject;
}

/** What a before-hook decides. */
export type BeforeToolDecision =
  | { readonly action: 'continue' }
  /** Other arguments: validated again, and the model is told. */
  | { readonly action: 'rewrite'; readonly arguments: JsonObject; readonly reason?: string }
  | { readonly action: 'deny'; readonly reason: string }
  | { readonly action: 'retry'; readonly reason: string; readonly retryAfterMs: number };

/** Options of every hook call. */
export interface HookOptions {
  readonly signal: AbortSignal;
}

/**
 * The host's own code around calls, run in order, 5 s each. A before-hook that throws, hangs or answers
 * nonsense denies the call (fails closed); one that answers nothing (`undefined`) only looked on. An after-hook that fails is
 * reported and changes nothing.
 */
export interface Hooks {
  /** A name for reports. */
  readonly name?: string;
  beforeTool?(
    call: HookCall,
    options: HookOptions,
  ): Promise<BeforeToolDecision> | BeforeToolDecision;
  /** Sees the final result, awaited in order. */
  afterTool?(call: HookCall, result: ToolResult, options: HookOptions): Promise<void> | void;
  /** Asked before a person is: may answer in their place, or return undefined to leave it to them. */
  permissionRequest?(
    request: PendingApproval,
    options: HookOptions,
  ): Promise<ApprovalAnswer | undefined> | ApprovalAnswer | undefined;
}
