import { ToolError } from '../errors/tool-error.ts';
import type { CapabilityId } from '../services/services.ts';
import type { Effect } from '../tool/effects.ts';
import type { ToolCall } from '../tool/tool-call.ts';
import type { NestedCallOptions, UserAnswer, UserQuestion } from '../tool/tool-context.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { KernelContext } from '../tool/tool.ts';
import type { Admission } from './admit.ts';
import type { BoundCall } from './bound-call.ts';
import { confirm } from './confirm.ts';
import type { Deadline } from './deadline.ts';
import { decidePolicy } from './decide-policy.ts';
import { resolveEffect } from './describe-call.ts';
import { EffectGrants } from './effect-grants.ts';
import { emit } from './emit.ts';
import { guardedServices } from './guarded-services.ts';
import { guardedWorkspace, type ViewGuard } from './guarded-workspace.ts';
import type { Invocation } from './invocation.ts';
import type { KernelSession } from './kernel-session.ts';
import { toLockTarget } from './lock-target.ts';

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
  /** Tells what of the deltas was held back; from now on every service refuses, and children are cancelled. */
  revoke(): void;
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
    effects: call.effects,
  });
  const assertAlive = (): void => {
    signal.throwIfAborted();
    lifetime.signal.throwIfAborted();
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
    const resolved = await resolveEffect(session.workspace, effect);
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
    artifacts: session.artifacts.access(tool.name, assertAlive),
    catalog: session.registry.catalog,
    state: session.resources.stateOf(tool.provider),
    now: session.clock,
    random: session.random,
    admit: admitEffect,
    delta: deltas.push,
    progress: (progress) => {
      if (lifetime.signal.aborted) return;
      emit(session, invocation, () => ({
        ...progress,
        type: 'tool_progress',
        id: invocation.id,
        name: tool.name,
      }));
    },
    taskUpdated: (tasks) => {
      if (lifetime.signal.aborted) return;
      emit(session, invocation, () => ({ type: 'task_updated', tasks }));
    },
    ask: (question) => askPerson(session, call, { question, deadline: options.deadline, grants }),
    invoke: async (nested, nestedOptions = {}) => {
      assertAlive();
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
    },
  };
}

/** Nobody can wait for the result of a call through an approval that arose while it ran. */
const neverSettles = new Promise<ToolResult>(() => {});

const revoked = new ToolError('cancelled', 'The call has ended; its context can do no more.', {
  reason: 'ended',
});

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

async function askPerson(
  session: KernelSession,
  call: BoundCall,
  asked: {
    readonly question: UserQuestion;
    readonly deadline: Deadline;
    readonly grants: EffectGrants;
  },
): Promise<UserAnswer> {
  const { question, deadline } = asked;
  const { invocation } = call;
  invocation.signal.throwIfAborted();
  asked.grants.assertKind('ask');
  const { asker } = session;
  emit(session, invocation, () => ({
    type: 'user_question',
    question_id: session.nextId('question'),
    question: question.question,
    options: question.options ?? [],
  }));
  if (asker === undefined) return { answered: false, reason: 'nobody is there to answer' };
  const resume = deadline.pause();
  try {
    return await asker(question, { signal: invocation.signal });
  } finally {
    resume();
  }
}
