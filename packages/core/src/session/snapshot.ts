import type { ArtifactInfo } from '../artifacts/artifact-store.ts';
import type { PendingApproval } from '../approval/approval.ts';
import type { PolicyRule } from '../policy/policy-rule.ts';
import type { ProjectionPolicy } from '../projection/policy.ts';

/** A session as plain JSON, for `host.resume`. */
export interface SessionSnapshot {
  readonly schema: 'toolwright.session-snapshot.v1';
  readonly session_id: string;
  /** Pinned: resuming with another explicit policy is refused. */
  readonly projection: ProjectionPolicy;
  readonly loaded_tools: readonly { readonly name: string; readonly by: string }[];
  readonly pending_approvals: readonly PendingApproval[];
  readonly grants: readonly PolicyRule[];
  /** Untrusted content has reached the agent. */
  readonly tainted: boolean;
  /** What the session's artifact store held. */
  readonly artifacts: readonly ArtifactInfo[];
}
