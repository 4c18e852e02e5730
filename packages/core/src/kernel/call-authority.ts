import type { ArtifactAccess } from '../artifacts/artifact-access.ts';
import type { SessionArtifacts } from '../artifacts/session-artifacts.ts';
import { ToolError } from '../errors/tool-error.ts';
import type { CapabilityId, HostServices } from '../services/services.ts';
import type { Effect } from '../tool/effects.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Admission } from './admit.ts';
import type { BoundCall } from './bound-call.ts';
import type { CallRequest } from './call-request.ts';
import type { CallResult } from './call-result.ts';
import { confirm } from './confirm.ts';
import type { Deadline } from './deadline.ts';
import { decidePolicy } from './decide-policy.ts';
import { DeltaStream } from './delta-stream.ts';
import { resolveEffect } from './describe-call.ts';
import { EffectGrants } from './effect-grants.ts';
import { emit } from './emit.ts';
import { guardedServices } from './guarded-services.ts';
import { guardedWorkspace } from './guarded-workspace.ts';
import type { KernelSession } from './kernel-session.ts';
import { toLockTarget } from './lock-target.ts';
import { OpenThings } from './open-things.ts';
import { Stop } from './stop.ts';
import { takeEffect } from './take-effect.ts';
import type { ViewGuard, WriteObserver } from './view-guard.ts';

/** Runs a call: the kernel itself, handed down since the files of its stages cannot import what imports them. */
export type Invoke = (session: KernelSession, request: CallRequest) => Promise<ToolResult>;

/** What a run is made from. */
export interface RunOptions {
  readonly admission: Admission;
  readonly deadline: Deadline;
  readonly limitMs: number;
  readonly invoke: Invoke;
  readonly result: CallResult;
}

/** What a running call is allowed, and the services that act on it. Most calls use few of them: each is made when used. */
export class CallAuthority implements ViewGuard {
  readonly session: KernelSession;
  readonly call: BoundCall;
  readonly options: RunOptions;
  /** Ends with the run. */
  readonly lifetime = new Stop();
  #opened: OpenThings | undefined;
  #processes: OpenThings | undefined;
  #promotions: Set<Promise<unknown>> | undefined;
  #grants: EffectGrants | undefined;
  #writes: WriteObserver | undefined;
  #named: ReadonlySet<CapabilityId> | undefined;
  #workspace: Workspace | undefined;
  #services: HostServices | undefined;
  #artifacts: ReturnType<SessionArtifacts['access']> | undefined;
  #deltas: DeltaStream | undefined;
  #assertOpen: (() => void) | undefined;
  #assertAlive: (() => void) | undefined;

  constructor(session: KernelSession, call: BoundCall, options: RunOptions) {
    this.session = session;
    this.call = call;
    this.options = options;
  }

  get signal(): AbortSignal {
    return this.call.invocation.signal;
  }

  get grants(): EffectGrants {
    const { tool, capabilities, effects, args } = this.call;
    this.#grants ??= new EffectGrants(tool.name, {
      folding: this.session.workspace.folding,
      readOnly: capabilities.readOnly,
      orchestrator: tool.tool.orchestrator,
      effects,
      args,
      onRefused: (message) => this.#tellRefused(message),
    });
    return this.#grants;
  }

  get opened(): OpenThings {
    this.#opened ??= new OpenThings();
    return this.#opened;
  }

  get processes(): OpenThings {
    this.#processes ??= new OpenThings();
    return this.#processes;
  }

  get writes(): WriteObserver {
    this.#writes ??= this.#observeWrites();
    return this.#writes;
  }

  get workspace(): Workspace {
    this.#workspace ??= guardedWorkspace(this.session.workspace, this.#capabilities(), this);
    return this.#workspace;
  }

  get artifacts(): ArtifactAccess {
    const { session, call, assertAlive, assertOpen } = this;
    this.#artifacts ??= session.artifacts.access({
      tool: call.tool.name,
      holder: session.artifacts.holder(call.invocation.id),
      assertAlive,
      assertOpen,
      byteStream: session.sanitiser.byteStream,
    });
    return this.#artifacts.access;
  }

  get services(): HostServices {
    this.#services ??= guardedServices(this.session.services, this.#capabilities(), {
      guard: this,
      admit: (effect) => this.admit(effect),
      admitOnce: (effect) => this.#whilePaused(() => this.#decideAndConfirm(effect)),
    });
    return this.#services;
  }

  /** A tool that was stopped may still settle what it has, until its time to do so is over. */
  get assertOpen(): () => void {
    this.#assertOpen ??= () => this.lifetime.throwIfAborted();
    return this.#assertOpen;
  }

  get assertAlive(): () => void {
    this.#assertAlive ??= () => {
      this.call.invocation.stop.throwIfAborted();
      this.lifetime.throwIfAborted();
    };
    return this.#assertAlive;
  }

  async admit(effect: Effect): Promise<void> {
    this.assertAlive();
    const { session, call, options, grants } = this;
    const resolved = await resolveEffect(session.workspace, takeEffect(effect));
    if (grants.has(resolved)) return;
    const { kind, target } = resolved;
    // Nobody is asked for what the call could not do afterwards.
    if (kind === 'write' || kind === 'unknown') grants.assertNotReadOnly(`${kind} ${target}`);
    await this.#whilePaused(async () => {
      await this.#decideAndConfirm(resolved);
      call.invocation.stage = 'admit';
      const target = toLockTarget(resolved, session.workspace.folding);
      if (target !== undefined) await options.admission.extend([target]);
      grants.add(resolved);
    });
  }

  /** Settles when no promotion is under way; undefined when none is. */
  promotions(): Promise<unknown> | undefined {
    if (this.#promotions === undefined || this.#promotions.size === 0) return undefined;
    return Promise.allSettled(this.#promotions);
  }

  delta(text: string): void {
    if (this.lifetime.aborted) return;
    this.#deltas ??= new DeltaStream(this.session, this.call);
    this.#deltas.push(text);
  }

  /**
   * Tells what of the deltas was held back; from now on every service refuses, and children are cancelled. Settles
   * when artifacts that the call left unfinished are dropped; undefined when there were none.
   */
  revoke(): Promise<unknown> | undefined {
    this.#deltas?.end();
    this.lifetime.abort(revoked);
    return this.#artifacts?.abandon();
  }

  /**
   * Closes what the call left open; undefined when that is nothing. Of a call that was stopped the processes end, of any other
   * they may go on as long as the session. `settling`: its tool has not come to an end and may still put its own things in
   * order, for as long as the session is open.
   */
  closeLeft(settling: Promise<unknown> | undefined): Promise<unknown> | undefined {
    if ((this.#opened?.size ?? 0) + (this.#processes?.size ?? 0) === 0) return undefined;
    const { opened, processes, session } = this;
    const ended = this.call.invocation.stop.aborted ? processes.close() : undefined;
    processes.moveTo(session.left);
    if (settling === undefined) return Promise.all([ended, opened.close()]);
    const forget = session.left.add(async () => opened.close());
    const settled = (): void => {
      forget();
      void opened.close();
    };
    settling.then(settled, settled);
    return ended;
  }

  #observeWrites(): WriteObserver {
    const { invocation, tool } = this.call;
    const promotions = (this.#promotions ??= new Set());
    const journal = this.session.journal.recorder(invocation.id, tool.name);
    return {
      beforePromote: (paths) => journal.before(paths),
      promoted: (changes) => journal.after(changes),
      track: (promotion) => {
        promotions.add(promotion);
        const forget = (): void => void promotions.delete(promotion);
        promotion.then(forget, forget);
      },
    };
  }

  #tellRefused(message: string): void {
    const { invocation, tool } = this.call;
    emit(this.session, invocation, () => ({
      type: 'effect_refused',
      tool_id: invocation.id,
      tool_name: tool.name,
      message,
    }));
  }

  #capabilities(): ReadonlySet<CapabilityId> {
    const { requires, uses } = this.call.tool.tool;
    this.#named ??= new Set([...requires, ...uses]);
    return this.#named;
  }

  async #decideAndConfirm(effect: Effect): Promise<void> {
    const decision = decidePolicy(this.session, this.call, [effect]);
    const edited = await confirm(this.session, this.call, {
      decision,
      effects: [effect],
      result: this.options.result,
    });
    if (edited !== undefined) {
      throw new ToolError(
        'confirmation_rejected',
        'The arguments of a call that is running cannot be changed any more; it was not allowed to go on.',
        { reason: 'edited_while_running' },
      );
    }
  }

  async #whilePaused(work: () => Promise<void>): Promise<void> {
    const resume = this.options.deadline.pause();
    try {
      await work();
    } finally {
      this.call.invocation.stage = 'run';
      resume();
    }
  }
}

const revoked = new ToolError('cancelled', 'The call has ended; its context can do no more.', {
  reason: 'ended',
});
