import type { ApprovalAnswer, PendingApproval, PreparedCall } from '../approval/approval.ts';
import type { ArtifactAccess } from '../artifacts/artifact-access.ts';
import type { ArtifactInfo } from '../artifacts/artifact-store.ts';
import type { EventOptions, EventStream } from '../events/tool-event.ts';
import type { JsonObject } from '../json/json.ts';
import type { PolicyDecision } from '../policy/policy-decision.ts';
import type { PolicyRule } from '../policy/policy-rule.ts';
import type { ToolCatalog, ToolDefinition } from '../tool/tool-catalog.ts';
import type { ToolCall } from '../tool/tool-call.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { Verification, VerifyCommandsOptions } from '../verification/session-verification.ts';
import type { VerificationReport } from '../verification/verification-report.ts';
import type { VerificationCommand } from '../verification/verify-commands.ts';
import type { SessionSnapshot } from './snapshot.ts';
import type { ActiveCall, SurfaceEntry } from './surface.ts';

/** How a call may differ from the defaults. */
export interface CallOptions {
  /** Ends the call as `cancelled`. */
  readonly signal?: AbortSignal;
  /** Milliseconds for `run`; waiting for locks and people does not count. */
  readonly timeoutMs?: number;
}

/** Options of an agent's call. */
export interface InvokeOptions extends CallOptions {
  /** An approval from `prepare` that a person has given: checked against the call, used once. */
  readonly approval?: PendingApproval;
}

/** A call whose changes can be put back. */
export interface UndoableCall {
  readonly id: string;
  readonly tool: string;
  /** What it changed, sorted. */
  readonly paths: readonly string[];
}

/**
 * A host bound to one workspace. Failures of tools are results; methods throw only `SessionClosedError` and
 * `TypeError`.
 */
export interface Session {
  readonly id: string;
  /** Names of the tools that a model sees, sorted. */
  toolNames(): readonly string[];
  /** What a model sees, sorted by name: visible tools and loaded ones. */
  toolDefinitions(): readonly ToolDefinition[];
  /** Every tool, with its state and the reason. */
  surface(): readonly SurfaceEntry[];
  /** Calls that are running or waiting. */
  activeTools(): readonly ActiveCall[];
  /** Text for the model about the families present, in provider order. */
  instructions(): string;
  readonly catalog: ToolCatalog;
  /** The host's own call: policy and confirmation are skipped, all else is kept. */
  tool(
    name: string,
    args?: JsonObject,
    options?: CallOptions & { readonly id?: string },
  ): Promise<ToolResult>;
  /** A model's call: full policy. */
  invoke(call: ToolCall, options?: InvokeOptions): Promise<ToolResult>;
  /** What policy would say, and a pending approval to put before a person; nothing runs. */
  prepare(call: ToolCall): Promise<PreparedCall>;
  /** The decision for a call with the rule that made it. */
  explain(call: ToolCall): Promise<PolicyDecision>;
  /** Answers a pending approval: an approved call runs, once, from validation on. */
  answer(approvalId: string, answer: ApprovalAnswer, options?: CallOptions): Promise<ToolResult>;
  pendingApprovals(): readonly PendingApproval[];
  /** Grants that answers with `remember` have kept. */
  grants(): readonly PolicyRule[];
  /** Whether untrusted content has reached the agent. */
  readonly tainted: boolean;
  events(options?: EventOptions): EventStream;
  readonly artifacts: ArtifactAccess & { list(): Promise<readonly ArtifactInfo[]> };
  /** Lets go of the artifacts that one call's result refers to. */
  release(invocationId: string): Promise<void>;
  /**
   * Puts back what a mutating call changed, if nothing has changed it since; all or nothing. The result's
   * `metadata.undo` lists `{ path, action: 'restored' | 'deleted' | 'recreated' }`; its id can be undone.
   */
  undo(invocationId: string): Promise<ToolResult>;
  /** Calls that can be undone, newest first. */
  undoable(): Promise<readonly UndoableCall[]>;
  /**
   * Runs commands through the session's `bash` as the host's own calls, and reports how they came out. Checks that
   * change nothing run side by side, with everything else kept from the files; every other one runs alone. A command
   * that could not be run is a check that needs review. Errors: `TypeError` for two commands with one id.
   */
  verifyCommands(
    subject: string,
    commands: readonly VerificationCommand[],
    options?: VerifyCommandsOptions,
  ): Promise<VerificationReport>;
  /** What was verified so far; only the session itself issues reports. */
  readonly verification: Verification;
  snapshot(): Promise<SessionSnapshot>;
  /** Settles when every live provider has listed its tools or failed. */
  ready(): Promise<void>;
  /** Cancels what runs, closes what the session made; idempotent. */
  close(): Promise<void>;
}
