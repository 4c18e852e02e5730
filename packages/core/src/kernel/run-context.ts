import { ToolError } from '../errors/tool-error.ts';
import type { JsonObject } from '../json/json.ts';
import { snapshotJson } from '../json/snapshot-json.ts';
import type { InvocationInfo, InvocationLimits, ToolProgress } from '../tool/tool-context.ts';
import type { KernelContext } from '../tool/tool.ts';
import { askPerson } from './ask-person.ts';
import type { BoundCall } from './bound-call.ts';
import type { CallAuthority } from './call-authority.ts';
import { emit } from './emit.ts';
import { guardedCatalog } from './guarded-catalog.ts';
import { invokeNested } from './invoke-nested.ts';

/** What a running tool may use, by what its call is allowed. */
export function toolContext(authority: CallAuthority): KernelContext {
  return Object.freeze(new ToolRunContext(authority));
}

/**
 * The context as a tool sees it: what it reads is made then, functions included, which work without their object too. The
 * prototype is frozen: what one tool does to it would reach all.
 */
class ToolRunContext implements KernelContext {
  readonly #by: CallAuthority;

  constructor(by: CallAuthority) {
    this.#by = by;
  }

  static {
    Object.freeze(this.prototype);
  }

  get invocation(): InvocationInfo {
    const { session, call } = this.#by;
    const { id, parentId, origin, depth } = call.invocation;
    return { id, parentId, sessionId: session.id, origin, depth, tool: call.tool.name };
  }

  get signal(): AbortSignal {
    return this.#by.signal;
  }

  get limits(): InvocationLimits {
    const { session, options } = this.#by;
    return { maxOutputBytes: session.projection.max_output_bytes, deadlineMs: options.limitMs };
  }

  get clamped(): KernelContext['clamped'] {
    return this.#by.call.clamped;
  }

  get workspace(): KernelContext['workspace'] {
    // The type names every service as perhaps there; the view has those that the tool named.
    return this.#by.workspace as KernelContext['workspace'];
  }

  get http(): KernelContext['http'] {
    return this.#by.services.http;
  }

  get models(): KernelContext['models'] {
    return this.#by.services.models;
  }

  get embeddings(): KernelContext['embeddings'] {
    return this.#by.services.embeddings;
  }

  get browser(): KernelContext['browser'] {
    return this.#by.services.browser;
  }

  get artifacts(): KernelContext['artifacts'] {
    return this.#by.artifacts;
  }

  get catalog(): KernelContext['catalog'] {
    return guardedCatalog(this.#by.session.registry.catalog, this.#by.assertOpen);
  }

  get state(): KernelContext['state'] {
    const { session, call, assertOpen } = this.#by;
    return session.resources.stateOf(call.tool.provider, assertOpen);
  }

  get now(): KernelContext['now'] {
    return this.#by.session.clock;
  }

  get random(): KernelContext['random'] {
    return this.#by.session.random;
  }

  get admit(): KernelContext['admit'] {
    return (effect) => this.#by.admit(effect);
  }

  get delta(): KernelContext['delta'] {
    return (text) => this.#by.delta(text);
  }

  get progress(): KernelContext['progress'] {
    const { session, call, lifetime } = this.#by;
    return (progress) => {
      if (lifetime.aborted || !session.events.active) return;
      const told = takeTold(factsOf(progress));
      if (told === undefined) return;
      emit(session, call.invocation, () => ({
        ...told,
        type: 'tool_progress',
        id: call.invocation.id,
        name: call.tool.name,
      }));
    };
  }

  get taskUpdated(): KernelContext['taskUpdated'] {
    const { session, call, lifetime } = this.#by;
    return (tasks) => {
      if (lifetime.aborted || !session.events.active) return;
      const told = takeTold(tasks);
      if (told === undefined) return;
      emit(session, call.invocation, () => ({ type: 'task_updated', tasks: told }));
    };
  }

  get ask(): KernelContext['ask'] {
    const { session, call, options, grants, assertAlive } = this.#by;
    return async (question) => {
      assertAlive();
      grants.assertKind('ask');
      return askPerson(session, call, { question, deadline: options.deadline });
    };
  }

  get invoke(): KernelContext['invoke'] {
    const by = this.#by;
    const { call, options, assertAlive } = by;
    return async (nested, nestedOptions = {}) => {
      assertAlive();
      assertOrchestrator(call);
      // What a child waits for, a person or a lock, its parent waits for.
      const resume = options.deadline.pause();
      try {
        return await invokeNested(by, nested, {
          signal: nestedOptions.signal,
          allowedTools: nestedOptions.allowedTools,
          beforeRun: (begins) => {
            resume();
            return nestedOptions.beforeRun?.(begins);
          },
        });
      } finally {
        resume();
      }
    };
  }

  get resource(): KernelContext['resource'] {
    const { session, assertAlive } = this.#by;
    return (key) => {
      assertAlive();
      return session.resources.get(key);
    };
  }
}

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
