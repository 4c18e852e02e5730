import type { ArtifactAccess } from '../artifacts/artifact-access.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import type { BrowserClient } from '../services/browser-client.ts';
import type { EmbeddingClient } from '../services/embedding-client.ts';
import type { HttpClient } from '../services/http-client.ts';
import type { ModelClient } from '../services/model-client.ts';
import type { CapabilityId } from '../services/services.ts';
import type { StateStore } from '../state/state-store.ts';
import type { WorkspaceFields, WorkspaceServices } from '../workspace/workspace.ts';
import type { PathFolding } from '../workspace/workspace.ts';
import type { ToolCapabilities } from './capabilities.ts';
import type { Effect } from './effects.ts';
import type { Origin, ToolCall } from './tool-call.ts';
import type { ToolCatalog } from './tool-catalog.ts';
import type { ToolResult } from './tool-result.ts';

/** Facts about the call at hand. */
export interface InvocationInfo {
  readonly id: string;
  readonly parentId: string | null;
  readonly sessionId: string;
  readonly origin: Origin;
  /** 0 for a call that has no parent. */
  readonly depth: number;
  readonly tool: string;
}

/** The limits of the call at hand. */
export interface InvocationLimits {
  /** Bytes of `output` that will survive projection. */
  readonly maxOutputBytes: number;
  /** Milliseconds from the start of `run` to the deadline. */
  readonly deadlineMs: number;
}

/** A limit, size or time that was out of range and moved to its bound. */
export interface ClampedLimit {
  readonly path: string;
  readonly from: JsonValue;
  readonly to: JsonValue;
}

/** A step forward, for people who wait. */
export interface ToolProgress {
  readonly message?: string;
  readonly current?: number;
  readonly total?: number;
  /** Plain facts such as a rate. */
  readonly data?: JsonObject;
}

/** A question for the person at the session. */
export interface UserQuestion {
  readonly question: string;
  readonly options?: readonly string[];
  readonly allowFreeText?: boolean;
}

/** What the person said, or that nobody did. */
export type UserAnswer =
  | { readonly answered: true; readonly answer: string }
  | { readonly answered: false; readonly reason: string };

/** How a nested call may differ. */
export interface NestedCallOptions {
  /**
   * The orchestrator's own allow-list. A name outside it is refused; a hidden tool can be called only when
   * it stands in it.
   */
  readonly allowedTools?: readonly string[];
  /** Cancels this call alone; the parent's cancellation always does. */
  readonly signal?: AbortSignal;
  /**
   * Awaited once the call has passed every stage before *run*, and no sooner: until then nothing has happened
   * outside of the session, from then on it may have. A call that is refused before never comes here. Its
   * rejection ends the call.
   */
  readonly beforeRun?: BeforeRun;
}

/** Told of a call that is about to run, with what it declares of itself. */
export type BeforeRun = (call: { readonly capabilities: ToolCapabilities }) => void | Promise<void>;

/** What a key stands for: made once a session on first use, closed with it. */
export interface SessionResource<T> {
  readonly create: () => T;
  readonly close?: (value: T) => void | Promise<void>;
}

type DeclaredWorkspace<Required extends CapabilityId, Used extends CapabilityId> = {
  readonly [
    K in keyof WorkspaceFields as K extends Required ? WorkspaceFields[K] : never
  ]: WorkspaceServices[K];
} & {
  readonly [
    K in keyof WorkspaceFields as K extends Exclude<Used, Required> ? WorkspaceFields[K] : never
  ]: WorkspaceServices[K] | undefined;
};

interface ServiceFields {
  readonly http: HttpClient;
  readonly models: ModelClient;
  readonly embeddings: EmbeddingClient;
  readonly browser: BrowserClient;
}

type DeclaredServices<Required extends CapabilityId, Used extends CapabilityId> = {
  readonly [K in keyof ServiceFields as K extends Required ? K : never]: ServiceFields[K];
} & {
  readonly [K in keyof ServiceFields as K extends Exclude<Used, Required> ? K : never]:
    | ServiceFields[K]
    | undefined;
};

/**
 * What a running tool may use, and nothing else. Services are guarded views: they do what the call declared
 * (or had admitted) and refuse the rest with `effect_violation`; after the call they refuse everything.
 */
export type ToolContext<
  Required extends CapabilityId = never,
  Used extends CapabilityId = never,
> = ToolContextBase & {
  /** The services of the workspace that `requires` (always there) and `uses` (perhaps there) name. */
  readonly workspace: DeclaredWorkspace<Required, Used> & {
    readonly folding: PathFolding;
    resolvePath(path: string): Promise<string>;
  };
} & DeclaredServices<Required, Used>;

/** The part of {@link ToolContext} that every tool has. */
export interface ToolContextBase {
  readonly invocation: InvocationInfo;
  /** Aborted when the caller cancels, the deadline passes or the session closes. */
  readonly signal: AbortSignal;
  readonly limits: InvocationLimits;
  /**
   * Arguments that the kernel moved to a bound (`x-clamp`), as `metadata.clamped` tells them: `path` is a JSON
   * pointer, `from` what the caller asked. For a page's `limit_clamped`.
   */
  readonly clamped: readonly ClampedLimit[];
  readonly artifacts: ArtifactAccess;
  readonly catalog: ToolCatalog;
  /** Bytes that outlive the session, private to the provider; absent where the host keeps no state. */
  readonly state: StateStore | undefined;
  /** Milliseconds since 1970, by the host's clock. */
  now(): number;
  /** 0 ≤ n < 1, by the host's source. */
  random(): number;
  /**
   * Declares an effect that became known only while running: same policy, approval and locks as those
   * declared before. Throws the typed refusal.
   */
  admit(effect: Effect): Promise<void>;
  /** Streams a piece of output to watchers; the result is what `run` returns. Sanitised; may be dropped. */
  delta(text: string): void;
  /** Tells of progress; may be dropped. */
  progress(progress: ToolProgress): void;
  /** Announces a change of the plan to watchers (`task_updated`). */
  taskUpdated(tasks: readonly JsonObject[]): void;
  /** Asks the person at the session; declared as an `ask` effect. */
  ask(question: UserQuestion): Promise<UserAnswer>;
  /** Calls another tool through the whole kernel, as this call's child. Failures are results. */
  invoke(call: ToolCall, options?: NestedCallOptions): Promise<ToolResult>;
  /** A session-scoped value of the tool's own; `key` is an object only the owner holds. */
  resource<T>(key: SessionResource<T>): T;
}
