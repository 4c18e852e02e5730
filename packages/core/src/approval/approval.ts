import type { JsonObject } from '../json/json.ts';
import type { PolicyRule } from '../policy/policy-rule.ts';
import type { Effect } from '../tool/effects.ts';
import type { Origin } from '../tool/tool-call.ts';

/** What an approval is bound to: any drift makes it void. */
export interface ApprovalDigests {
  /** `sha256:<hex>` of the tool's definition. */
  readonly definition: string;
  /** `sha256:<hex>` of the canonical arguments. */
  readonly arguments: string;
}

/** A call that waits for a person: plain JSON that survives a restart. One use. */
export interface PendingApproval {
  readonly id: string;
  readonly session_id: string;
  readonly call: { readonly id: string; readonly name: string; readonly arguments: JsonObject };
  readonly origin: Origin;
  readonly digests: ApprovalDigests;
  /** What the call will touch. */
  readonly effects: readonly Effect[];
  /** Why it is asked. */
  readonly reason: string;
  /** The grants that `remember` would keep: exact rules, with what they would and would not allow. */
  readonly grants: readonly PolicyRule[];
  /** Milliseconds since 1970, by the host's clock. */
  readonly expires_at: number;
}

/** A person's (or an approver's) answer. */
export type ApprovalAnswer =
  | {
      readonly decision: 'approve';
      /** Other arguments to run with; validated and judged again from the start. */
      readonly arguments?: JsonObject;
      /** Keep the proposed grants for the rest of the session. Default false. */
      readonly remember?: boolean;
    }
  | { readonly decision: 'reject'; readonly reason?: string };

/**
 * Answers pending approvals, for as long as a human may take; the call's cancellation is told by the signal.
 * `undefined` says that nobody is there to answer, as if there were no approver. A rejected promise or a malformed
 * answer is a rejection.
 */
export type Approver = (
  request: PendingApproval,
  options: { readonly signal: AbortSignal },
) => Promise<ApprovalAnswer | undefined>;

/** What `prepare` tells of a call without running it. */
export interface PreparedCall {
  readonly decision: 'deny' | 'ask' | 'allow';
  /** The rule that decided; null means the default. */
  readonly rule: PolicyRule | null;
  readonly reason: string;
  readonly effects: readonly Effect[];
  /** Present when the decision is `ask`: answer it with `session.answer`, or give it to `session.invoke`. */
  readonly approval?: PendingApproval;
}
