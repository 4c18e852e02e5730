import { loadPolicy } from '../policy/load-policy.ts';
import { conservativeProjection, parseProjectionPolicy } from '../projection/policy.ts';
import { projectionPolicyDigest } from '../projection/transform-binding.ts';
import type { ConnectWorkspace, Provider, ProviderConnection } from '../provider/provider.ts';
import { createSanitiser } from '../sanitise/sanitiser.ts';
import type { KernelSession } from '../kernel/kernel-session.ts';
import { onAbort } from '../kernel/on-abort.ts';
import { LiveSession } from '../session/live-session.ts';
import {
  closeKernelSession,
  closePart,
  openKernelSession,
  type HostSettings,
} from '../session/open-session.ts';
import type { Session } from '../session/session.ts';
import type { SessionSnapshot } from '../session/snapshot.ts';
import { takeSnapshot } from '../session/take-snapshot.ts';
import {
  workspaceFields,
  type Workspace,
  type WorkspaceCapability,
} from '../workspace/workspace.ts';
import { addHelpers } from './add-helpers.ts';
import { assertHostOptions, assertOpenOptions } from './assert-host-options.ts';
import type { HelpersOf, Host, HostOptions, OpenOptions, ResumeOptions } from './host.ts';

/**
 * Makes a host: providers, policy, hooks and limits that its sessions share. The helper methods of the
 * providers appear, typed, on every session. Errors: `TypeError` for options of another form, two providers of one
 * name, a policy or a projection that does not load.
 */
export function createHost<const P extends readonly Provider[]>(options: HostOptions<P>): Host<P> {
  assertHostOptions(options);
  const names = new Set<string>();
  for (const { name } of options.providers) {
    if (names.has(name)) throw new TypeError(`Provider ${name} is registered twice.`);
    names.add(name);
  }
  const settings: HostSettings = {
    options,
    policy: loadPolicy(options.policy ?? {}),
    projection: parseProjectionPolicy(options.projection ?? conservativeProjection),
    sanitiser: createSanitiser(options.secrets ?? []),
  };
  const host: Host<P> = {
    open: async (open) => openSession<P>(settings, open),
    resume: async (snapshot, resume) => resumeSession<P>(settings, snapshot, resume),
  };
  return Object.freeze(host);
}

async function openSession<P extends readonly Provider[]>(
  settings: HostSettings,
  open: OpenOptions,
  snapshot?: SessionSnapshot,
): Promise<Session & HelpersOf<P>> {
  assertOpenOptions(open);
  const kernel = openKernelSession(settings, open);
  const connections: ProviderConnection[] = [];
  try {
    if (snapshot !== undefined) await restore(kernel, snapshot);
    const { providers } = settings.options;
    for (const provider of providers) {
      const connection = provider.connect?.({
        sessionId: kernel.id,
        services: kernel.services.http === undefined ? {} : { http: kernel.services.http },
        workspace: toConnectWorkspace(kernel.workspace),
        signal: kernel.stop.signal,
      });
      if (connection === undefined) continue;
      connections.push(connection);
      kernel.registry.attach(provider, connection);
      connection.subscribe(() => kernel.registry.refresh());
    }
    const instructions = providers
      .filter(({ name }) => kernel.registry.all().some(({ provider }) => provider.name === name))
      .map((provider) => provider.instructions)
      .filter((text) => text !== undefined);
    const session = new LiveSession({ kernel, connections, instructions });
    if (open.signal !== undefined) {
      kernel.stop.follow({ stopped: onAbort(open.signal, () => void session.close()) });
    }
    return addHelpers<P>(session, kernel.registry, providers);
  } catch (error) {
    // What was opened for a session that cannot be is closed again.
    await closeKernelSession(kernel);
    await Promise.all(connections.map((connection) => closePart(() => connection.close())));
    throw error;
  }
}

/** Takes over what a snapshot carries. */
async function restore(kernel: KernelSession, snapshot: SessionSnapshot): Promise<void> {
  kernel.registry.reload(snapshot.loaded_tools);
  kernel.policy.grant(snapshot.grants);
  if (snapshot.tainted) kernel.policy.taint();
  kernel.artifacts.adopt(snapshot.artifacts);
  await kernel.approvals.restore(snapshot.pending_approvals);
}

async function resumeSession<P extends readonly Provider[]>(
  settings: HostSettings,
  given: SessionSnapshot,
  resume: ResumeOptions,
): Promise<Session & HelpersOf<P>> {
  const snapshot = takeSnapshot(given);
  const pinned = projectionPolicyDigest(snapshot.projection);
  if (resume.projection !== undefined && projectionPolicyDigest(resume.projection) !== pinned) {
    throw new TypeError(
      'The snapshot was made under another projection policy; leave projection out to keep it.',
    );
  }
  const { projection: _, ...open } = resume;
  return openSession<P>(
    { ...settings, projection: snapshot.projection },
    { ...open, id: snapshot.session_id },
    snapshot,
  );
}

function toConnectWorkspace(workspace: Workspace): ConnectWorkspace {
  return Object.freeze({
    name: workspace.name,
    capabilities: Object.freeze(
      // The table lists every capability.
      (Object.keys(workspaceFields) as WorkspaceCapability[]).filter(
        (capability) => workspace[workspaceFields[capability]] !== undefined,
      ),
    ),
    ...(workspace.local === undefined ? {} : { root: workspace.local.root }),
  });
}
