import { Approvals } from '../approval/approvals.ts';
import { memoryArtifactStore } from '../artifacts/memory-artifact-store.ts';
import { SessionArtifacts } from '../artifacts/session-artifacts.ts';
import { ToolError } from '../errors/tool-error.ts';
import { EventBus } from '../events/event-bus.ts';
import type { HostOptions, OpenOptions } from '../host/host.ts';
import type { KernelSession } from '../kernel/kernel-session.ts';
import { Lanes } from '../kernel/lanes.ts';
import { LockTable } from '../kernel/lock-table.ts';
import { ActiveCalls } from '../kernel/active-calls.ts';
import { OpenThings } from '../kernel/open-things.ts';
import { RunningCalls } from '../kernel/running-calls.ts';
import { Stop } from '../kernel/stop.ts';
import { dropIdleTimer } from '../kernel/time-limit.ts';
import { within } from '../kernel/within.ts';
import type { ProjectionPolicy } from '../projection/policy.ts';
import { createSessionPolicy, type LoadedPolicy } from '../policy/session-policy.ts';
import type { Sanitiser } from '../sanitise/sanitiser.ts';
import { capabilityIds, type CapabilityId, type HostServices } from '../services/services.ts';
import { UndoJournal } from '../undo/undo-journal.ts';
import { workspaceFields, type Workspace, type WorkspaceFields } from '../workspace/workspace.ts';
import { SessionResources } from './session-resources.ts';
import { ToolRegistry } from './tool-registry.ts';

/** What the host has made ready for all its sessions. */
export interface HostSettings {
  readonly options: HostOptions;
  readonly policy: LoadedPolicy;
  readonly projection: ProjectionPolicy;
  readonly sanitiser: Sanitiser;
}

/** Calls that a session takes at once when nothing else is said. */
const defaultMaxActiveCalls = 1_024;

/** One lock table a workspace object, whoever opens sessions on it; and how many have. */
const sharedByWorkspace = new WeakMap<Workspace, { readonly locks: LockTable; sessions: number }>();

/** Brings the parts of a session together. Errors: `TypeError` for a clash of tool names. */
export function openKernelSession(settings: HostSettings, open: OpenOptions): KernelSession {
  const { options } = settings;
  const { hooks = [] } = options;
  const clock = options.clock ?? Date.now;
  const id = open.id ?? `session-${globalThis.crypto.randomUUID()}`;
  const policy = createSessionPolicy(settings.policy, open.workspace.folding);
  const services = open.services ?? {};
  const registry = new ToolRegistry({
    providers: options.providers,
    trustedOrchestrators: options.trustedOrchestrators ?? [],
    offered: offeredCapabilities(open.workspace, services),
    hiddenByPolicy: (tool) => policy.hides(tool),
  });
  const shared = sharedByWorkspace.get(open.workspace) ?? { locks: new LockTable(), sessions: 0 };
  shared.sessions += 1;
  sharedByWorkspace.set(open.workspace, shared);
  // A resumed session has the id of the one before: what it makes must not be taken for what that one made.
  const opening = globalThis.crypto.randomUUID().slice(-12);
  let ids = 0;
  return {
    id,
    workspace: open.workspace,
    services,
    stop: new Stop(),
    registry,
    events: new EventBus(),
    artifacts: new SessionArtifacts(open.artifacts ?? memoryArtifactStore(), id, {
      ownsAll: open.ownsArtifacts ?? false,
    }),
    approvals: new Approvals(open.state, clock),
    policy,
    locks: shared.locks,
    lanes: new Lanes(),
    journal: new UndoJournal({ workspace: open.workspace, state: open.state, clock }),
    resources: new SessionResources(open.state),
    active: new ActiveCalls(),
    running: new RunningCalls(),
    left: new OpenThings(),
    maxActiveCalls: options.maxActiveCalls ?? defaultMaxActiveCalls,
    hooks,
    beforeHooks: hooks.filter(({ beforeTool }) => beforeTool !== undefined),
    afterHooks: hooks.filter(({ afterTool }) => afterTool !== undefined),
    budget: options.budget,
    projection: settings.projection,
    sanitiser: settings.sanitiser,
    telemetry: options.telemetry,
    approver: open.approver,
    asker: open.asker,
    state: open.state,
    clock,
    random: options.random ?? Math.random,
    nextId: (prefix) => {
      ids += 1;
      return `${prefix}-${opening}-${ids}`;
    },
  };
}

/** Milliseconds that calls have to end when their session closes, and then each of its parts. */
const closeLimitMs = 5_000;

/** Ends everything of a session; a part that fails does not keep the rest open. */
export async function closeKernelSession(session: KernelSession): Promise<void> {
  session.stop.abort(
    new ToolError('session_closed', 'The session was closed before the call ended.'),
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([
    session.running.ended(),
    new Promise((resolve) => {
      timer = setTimeout(resolve, closeLimitMs);
    }),
  ]);
  clearTimeout(timer);
  const shared = sharedByWorkspace.get(session.workspace);
  if (shared !== undefined) shared.sessions -= 1;
  const parts = [
    () => session.left.close(),
    () => session.journal.flush(),
    () => session.artifacts.close(),
    async () => session.approvals.close(),
    async () => session.events.close(),
    async () => session.budget?.sessionClosed?.(session.id),
    async () => (shared?.sessions === 0 ? session.workspace.close() : undefined),
  ];
  // Each resource has a time of its own.
  await session.resources.close(closeLimitMs);
  for (const part of parts) await closePart(part);
}

/** Gives a part of the session its time to close; one that throws or hangs does not keep the others from it. */
export async function closePart(part: () => unknown): Promise<void> {
  try {
    await within(part, closeLimitMs);
  } catch {
    // The session is ending; the other parts still have to.
  }
  dropIdleTimer();
}

function offeredCapabilities(
  workspace: Workspace,
  services: HostServices,
): ReadonlySet<CapabilityId> {
  const isWorkspaceCapability = (id: CapabilityId): id is keyof WorkspaceFields =>
    id in workspaceFields;
  return new Set(
    capabilityIds.filter((id) =>
      isWorkspaceCapability(id)
        ? workspace[workspaceFields[id]] !== undefined
        : services[id] !== undefined,
    ),
  );
}
