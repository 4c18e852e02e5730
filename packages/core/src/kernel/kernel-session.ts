import type { Approvals } from '../approval/approvals.ts';
import type { Approver } from '../approval/approval.ts';
import type { SessionArtifacts } from '../artifacts/session-artifacts.ts';
import type { Budget } from '../budget/budget.ts';
import type { EventBus } from '../events/event-bus.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { SessionPolicy } from '../policy/session-policy.ts';
import type { ProjectionPolicy } from '../projection/policy.ts';
import type { Sanitiser } from '../sanitise/sanitiser.ts';
import type { HostServices } from '../services/services.ts';
import type { SessionResources } from '../session/session-resources.ts';
import type { ToolRegistry } from '../session/tool-registry.ts';
import type { StateStore } from '../state/state-store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { UserAnswer, UserQuestion } from '../tool/tool-context.ts';
import type { UndoJournal } from '../undo/undo-journal.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { ActiveCalls } from './active-calls.ts';
import type { Lanes } from './lanes.ts';
import type { LockTable } from './lock-table.ts';
import type { OpenThings } from './open-things.ts';
import type { RunningCalls } from './running-calls.ts';
import type { Stop } from './stop.ts';

/** What the kernel knows of a session: the host's settings and the session's own state. */
export interface KernelSession {
  readonly id: string;
  readonly workspace: Workspace;
  readonly services: HostServices;
  /** Comes when the session closes. */
  readonly stop: Stop;
  readonly registry: ToolRegistry;
  readonly events: EventBus;
  readonly artifacts: SessionArtifacts;
  readonly approvals: Approvals;
  readonly policy: SessionPolicy;
  readonly locks: LockTable;
  readonly lanes: Lanes;
  readonly journal: UndoJournal;
  readonly resources: SessionResources;
  readonly active: ActiveCalls;
  readonly running: RunningCalls;
  /** What calls have left open that may last longer than they: closed with the session. */
  readonly left: OpenThings;
  readonly maxActiveCalls: number;
  readonly hooks: readonly Hooks[];
  /** Those of the hooks that are asked before a tool runs, and those that are told afterwards. */
  readonly beforeHooks: readonly Hooks[];
  readonly afterHooks: readonly Hooks[];
  readonly budget: Budget | undefined;
  readonly projection: ProjectionPolicy;
  readonly sanitiser: Sanitiser;
  readonly telemetry: Telemetry | undefined;
  readonly approver: Approver | undefined;
  readonly asker:
    | ((
        question: UserQuestion,
        options: { readonly signal: AbortSignal; readonly invocationId: string },
      ) => Promise<UserAnswer>)
    | undefined;
  readonly state: StateStore | undefined;
  readonly clock: () => number;
  readonly random: () => number;
  /** A fresh id, unique in the session. */
  nextId(prefix: string): string;
}
