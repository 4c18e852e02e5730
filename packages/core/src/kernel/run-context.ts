import { ToolError } from '../errors/tool-error.ts';
import type { JsonObject } from '../json/json.ts';
import { snapshotJson } from '../json/snapshot-json.ts';
import type { CapabilityId } from '../services/services.ts';
import type { Effect } from '../tool/effects.ts';
import type { ToolCall } from '../tool/tool-call.ts';
import type { NestedCallOptions, ToolProgress } from '../tool/tool-context.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { KernelContext } from '../tool/tool.ts';
import type { Admission } from './admit.ts';
import { askPerson } from './ask-person.ts';
import type { BoundCall } from './bound-call.ts';
import { confirm } from './confirm.ts';
import type { Deadline } from './deadline.ts';
import { decidePolicy } from './decide-policy.ts';
import { resolveEffect } from './describe-call.ts';
import { EffectGrants } from './effect-grants.ts';
import { emit } from './emit.ts';
import { guardedCatalog } from './guarded-catalog.ts';
import { guardedServices } from './guarded-services.ts';
import { guardedWorkspace, type ViewGuard } from './guarded-workspace.ts';
import type { Invocation } from './invocation.ts';
import type { KernelSession } from './kernel-session.ts';
import { toLockTarget } from './lock-target.ts';
import { takeEffect } from './take-effect.ts';

/** Calls another tool as the child of an invocation. */
export type NestedInvoke = (
  parent: Invocation,
  call: ToolCall,
  options: NestedCallOptions & { readonly lifetime: AbortSignal },
) => Promise<ToolResult>;

/** What a context is made from. */
export interface RunContextOptions {
  readonly admission: Admission;
  readonly deadline: Deadline;
  readonly limitMs: number;
  readonly invokeNested: NestedInvoke;
}

/** A context, and how the kernel takes it back. */
export interface RunContext {
  readonly context: KernelContext;
  /** Settles when no promotion is under way. */
  promotions(): Promise<unknown>;
  /**
   * Tells what of the deltas was held back; from now on every service refuses, and children are cancelled. Settles
   * when artifacts that the call left unfinished are dropped; undefined when there were none.
   */
  revoke(): Promise<unknown> | undefined;
}

/** Builds what a running tool may use. */
export function openRunContext(
  session: KernelSession,
  call: BoundCall,
  options: RunContextOptions,
): RunContext {
  const { invocation, tool } = call;
  const { signal } = invocation;
  const lifetime = new AbortController();
  const promotions = new Set<Promise<unknown>>();
  const grants = new EffectGrants(tool.name, {
    folding: session.workspace.folding,
    readOnly: call.capabilities.readOnly,
    orchestrator: tool.tool.orchestrator,
    effects: call.effects,
  });
  // A tool that was stopped may still settle what it has, until its time to do so is over.
  const assertOpen = (): void => lifetime.signal.throwIfAborted();
  const assertAlive = (): void => {
    signal.throwIfAborted();
    assertOpen();
  };
  const journal = session.journal.recorder(invocation.id, tool.name);
  const guard: ViewGuard = {
    grants,
    assertAlive,
    signal,
    writes: {
      beforePromote: (paths) => journal.before(paths),
      promoted: (changes) => journal.after(changes),
      track: (promotion) => {
        promotions.add(promotion);
        const forget = (): void => void promotions.delete(promotion);
        promotion.then(forget, forget);
      },
    },
  };
  const decideAndConfirm = async (effect: Effect): Promise<void> => {
    const decision = decidePolicy(session, call, [effect]);
    const edited = await confirm(session, call, {
      decision,
      effects: [effect],
      result: neverSettles,
    });
    if (edited !== undefined) {
      throw new ToolError(
        'confirmation_rejected',
        'The arguments of a call that is running cannot be changed any more; it was not allowed to go on.',
        { reason: 'edited_while_running' },
      );
    }
  };
  const whilePaused = async (work: () => Promise<void>): Promise<void> => {
    const resume = options.deadline.pause();
    try {
      await work();
    } finally {
      invocation.stage = 'run';
      resume();
    }
  };
  const admitEffect = async (effect: Effect): Promise<void> => {
    assertAlive();
    const resolved = await resolveEffect(session.workspace, takeEffect(effect));
    if (grants.has(resolved)) return;
    await whilePaused(async () => {
      await decideAndConfirm(resolved);
      invocation.stage = 'admit';
      const target = toLockTarget(resolved, session.workspace.folding);
      if (target !== undefined) await options.admission.extend([target]);
      grants.add(resolved);
    });
  };
  const admitOnce = async (effect: Effect): Promise<void> =>
    whilePaused(async () => decideAndConfirm(effect));
  const deltas = deltasOf(session, call);
  const named = new Set<CapabilityId>([...tool.tool.requires, ...tool.tool.uses]);
  const services = guardedServices(session.services, named, {
    ...guard,
    admit: admitEffect,
    admitOnce,
  });
  const artifacts = session.artifacts.access({
    tool: tool.name,
    holder: session.artifacts.holder(invocation.id),
    assertAlive,
    assertOpen,
    byteStream: session.sanitiser.byteStream,
  });
  const context: KernelContext = {
    invocation: {
      id: invocation.id,
      parentId: invocation.parent?.id ?? null,
      sessionId: session.id,
      origin: invocation.origin,
      depth: invocation.depth,
      tool: tool.name,
    },
    signal,
    limits: { maxOutputBytes: session.projection.max_output_bytes, deadlineMs: options.limitMs },
    clamped: call.clamped,
    // The type names every service as perhaps there; the view has those that the tool named.
    workspace: guardedWorkspace(session.workspace, named, guard) as KernelContext['workspace'],
    http: services.http,
    models: services.models,
    embeddings: services.embeddings,
    browser: services.browser,
    artifacts: artifacts.access,
    catalog: guardedCatalog(session.registry.catalog, assertOpen),
    state: session.resources.stateOf(tool.provider, assertOpen),
    now: session.clock,
    random: session.random,
    admit: admitEffect,
    delta: deltas.push,
    progress: (progress) => {
      if (lifetime.signal.aborted || !session.events.active) return;
      const told = takeTold(factsOf(progress));
      if (told === undefined) return;
      emit(session, invocation, () => ({
        ...told,
        type: 'tool_progress',
        id: invocation.id,
        name: tool.name,
      }));
    },
    taskUpdated: (tasks) => {
      if (lifetime.signal.aborted || !session.events.active) return;
      const told = takeTold(tasks);
      if (told !== undefined)
        emit(session, invocation, () => ({ type: 'task_updated', tasks: told }));
    },
    ask: async (question) => {
      assertAlive();
      grants.assertKind('ask');
      return askPerson(session, call, { question, deadline: options.deadline });
    },
    invoke: async (nested, nestedOptions = {}) => {
      assertAlive();
      assertOrchestrator(call);
      // What a child waits for, a person or a lock, its parent waits for.
      const resume = options.deadline.pause();
      try {
        return await options.invokeNested(invocation, nested, {
          ...nestedOptions,
          lifetime: lifetime.signal,
          beforeRun: (begins) => {
            resume();
            return nestedOptions.beforeRun?.(begins);
          },
        });
      } finally {
        resume();
      }
    },
    resource: (key) => {
      assertAlive();
      return session.resources.get(key);
    },
  };
  return {
    context: Object.freeze(context),
    promotions: async () => Promise.allSettled(promotions),
    revoke: () => {
      deltas.end();
      lifetime.abort(revoked);
      return artifacts.abandon();
    },
  };
}

/** Nobody can wait for the result of a call through an approval that arose while it ran. */
const neverSettles = new Promise<ToolResult>(() => {});

const revoked = new ToolError('cancelled', 'The call has ended; its context can do no more.', {
  reason: 'ended',
});

/** A call that holds a lane or locks and waits for children could wait for ever: only orchestrators have children. */
function assertOrchestrator({ tool }: BoundCall): void {
  if (tool.tool.orchestrator) return;
  throw new ToolError(
    'effect_violation',
    `${tool.name} did not declare that it calls other tools; its definition must say orchestrator: true.`,
    { reason: 'no_orchestrator' },
  );
}

/** Bounds of what one event can tell of a tool's own. */
const toldLimits = { maxDepth: 32, maxBytes: 256 * 1024 };

/** A private copy of what a tool tells watchers; undefined for what is no JSON or too much. */
function takeTold<T extends JsonObject | readonly JsonObject[]>(told: T): T | undefined {
  const taken = snapshotJson(told, toldLimits);
  // A copy has the shape of its original.
  return taken.ok ? (taken.value as T) : undefined;
}

/** The facts of a progress, and nothing else that its object may hold. */
function factsOf({ message, current, total, data }: ToolProgress): JsonObject {
  return {
    ...(message === undefined ? {} : { message }),
    ...(current === undefined ? {} : { current }),
    ...(total === undefined ? {} : { total }),
    ...(data === undefined ? {} : { data }),
  };
}

/** Streams pieces of output to listeners; no secret comes out in parts, and nothing after the end. */
function deltasOf(session: KernelSession, { invocation, tool }: BoundCall) {
  const stream = session.sanitiser.textStream();
  let ended = false;
  const tell = (delta: string): void => {
    if (delta === '') return;
    emit(session, invocation, () => ({
      type: 'tool_output_delta',
      id: invocation.id,
      name: tool.name,
      delta,
    }));
  };
  return {
    push: (delta: string): void => {
      if (!ended) tell(stream.push(delta));
    },
    end: (): void => {
      if (ended) return;
      ended = true;
      tell(stream.end());
    },
  };
}
