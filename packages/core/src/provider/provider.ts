import type { HostServices } from '../services/services.ts';
import type { Tool } from '../tool/tool.ts';
import type { WorkspaceCapability } from '../workspace/workspace.ts';
import type { HelperSession } from './helper-session.ts';

/** A provider's helper methods by name: typed conveniences over `session.tool`. */
export type Helpers = Readonly<Record<string, (...args: never[]) => unknown>>;

/** Told by a provider whose tools come and go (an MCP server). */
export interface ProviderConnection {
  /** The tools at this moment; replaced as a whole on each change. */
  readonly tools: readonly Tool[];
  /** Tools that cannot be offered, with the reason (`server failed: …`). */
  readonly absent: readonly { readonly name: string; readonly reason: string }[];
  /** Calls `listener` after every change; returns how to stop. */
  subscribe(listener: () => void): () => void;
  /** Settles when the first listing is complete or has failed; never rejects. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** What a tool package exports: a named, versioned list of tools and what goes with them. */
export interface Provider<H extends Helpers = Helpers> {
  /** Kebab-case, unique in a host. */
  readonly name: string;
  readonly version: string;
  readonly tools: readonly Tool[];
  /** Text for the model about the family as a whole. */
  readonly instructions: string | undefined;
  /** Made anew for each call of a helper: what must last belongs to the session's resources. */
  helpers(session: HelperSession): H;
  /** Opens a live source of further tools for one session; absent for the ordinary provider. */
  readonly connect: ((session: ConnectContext) => ProviderConnection) | undefined;
}

/** What `connect` is handed. */
export interface ConnectContext {
  readonly sessionId: string;
  readonly services: Pick<HostServices, 'http'>;
  readonly workspace: ConnectWorkspace;
  readonly signal: AbortSignal;
}

/** What a live source may know of the workspace; to touch it, its tools have their views. */
export interface ConnectWorkspace {
  /** For humans; no path. */
  readonly name: string;
  readonly capabilities: readonly WorkspaceCapability[];
  /** The absolute real path of a local workspace. Never shown to models. */
  readonly root?: string;
}
