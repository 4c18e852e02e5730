import type { HostServices } from '../services/services.ts';
import type { Session } from '../session/session.ts';
import type { Tool } from '../tool/tool.ts';
import type { Workspace } from '../workspace/workspace.ts';

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
  helpers(session: Session): H;
  /** Opens a live source of further tools for one session; absent for the ordinary provider. */
  readonly connect: ((session: ConnectContext) => ProviderConnection) | undefined;
}

/** What `connect` is handed. */
export interface ConnectContext {
  readonly sessionId: string;
  readonly services: HostServices;
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
}
