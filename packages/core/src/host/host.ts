import type { Approver } from '../approval/approval.ts';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { Budget } from '../budget/budget.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { PolicyInput } from '../policy/policy-rule.ts';
import type { ProjectionPolicy } from '../projection/policy.ts';
import type { Provider } from '../provider/provider.ts';
import type { HostServices } from '../services/services.ts';
import type { Session } from '../session/session.ts';
import type { SessionSnapshot } from '../session/snapshot.ts';
import type { StateStore } from '../state/state-store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { UserAnswer, UserQuestion } from '../tool/tool-context.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** What a host is made from. */
export interface HostOptions<P extends readonly Provider[] = readonly Provider[]> {
  /** In the order in which their instructions are told. */
  readonly providers: P;
  /** For agents' and nested calls. Default: the `guarded` preset. A policy that does not load is a `TypeError`. */
  readonly policy?: PolicyInput;
  /** Run in order. */
  readonly hooks?: readonly Hooks[];
  readonly budget?: Budget;
  /** Default: conservative, 102,400 bytes. */
  readonly projection?: ProjectionPolicy;
  readonly telemetry?: Telemetry;
  /** Orchestrators whose children of a host's call run as `host-nested`; compared by identity. Default none. */
  readonly trustedOrchestrators?: readonly Provider[];
  /** Values that must never come out: tokens, passwords. Each at least 6 characters. */
  readonly secrets?: readonly string[];
  /** Calls that may wait or run at once in a session. Default 1,024. */
  readonly maxActiveCalls?: number;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly clock?: () => number;
  /** Default `Math.random`. */
  readonly random?: () => number;
}

/** What a session is opened on. */
export interface OpenOptions {
  readonly workspace: Workspace;
  readonly services?: HostServices;
  /** Answers what policy asks; without one, asking is a rejection. */
  readonly approver?: Approver;
  /** Answers `ctx.ask` of the named call; without one, nobody answers. */
  readonly asker?: (
    question: UserQuestion,
    options: { readonly signal: AbortSignal; readonly invocationId: string },
  ) => Promise<UserAnswer>;
  /** What outlives the session: pending approvals, undo, program logs. */
  readonly state?: StateStore;
  /** Default: in memory, 256 artifacts and 16 MiB. */
  readonly artifacts?: ArtifactStore;
  /**
   * The store serves this session alone, also what earlier processes kept in it: all of it can be read. Default
   * false: a session reads only what its own calls kept.
   */
  readonly ownsArtifacts?: boolean;
  /** Default: a fresh random id. */
  readonly id?: string;
  /** Ends the session when aborted. */
  readonly signal?: AbortSignal;
}

/** Options of `resume`; what the snapshot carries comes from it. */
export interface ResumeOptions extends Omit<OpenOptions, 'id'> {
  /** Only to assert: another policy than the snapshot's is a `TypeError`. */
  readonly projection?: ProjectionPolicy;
}

/** The helper methods that a list of providers adds to a session. */
export type HelpersOf<P extends readonly Provider[]> =
  TakesHelpersOf<P[number]> extends (helpers: infer H) => void ? H : never;

/**
 * One function a provider, so that inferring their common parameter intersects the helpers. A provider without any, or
 * one whose helpers are not known, adds nothing and takes nothing away.
 */
type TakesHelpersOf<One> =
  One extends Provider<infer H> ? (helpers: string extends keyof H ? unknown : H) => void : never;

/** The application's side: providers and policy, from which sessions are opened. */
export interface Host<P extends readonly Provider[] = readonly Provider[]> {
  /** Errors: `TypeError` for a clash of tool or helper names. */
  open(options: OpenOptions): Promise<Session & HelpersOf<P>>;
  resume(snapshot: SessionSnapshot, options: ResumeOptions): Promise<Session & HelpersOf<P>>;
}
