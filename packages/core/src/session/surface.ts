import type { ToolCapabilities } from '../tool/capabilities.ts';
import type { ToolState } from '../tool/tool-catalog.ts';

/** One tool of a session, and why it stands where it does. */
export interface SurfaceEntry {
  readonly name: string;
  readonly provider: string;
  readonly state: ToolState;
  /** Deferred tools: whether this session has loaded it. */
  readonly loaded?: boolean;
  /** Why the tool is hidden, deferred or absent. */
  readonly reason?: string;
  /** What a call declares when it says nothing special; absent for tools that are absent. */
  readonly capabilities?: ToolCapabilities;
}

/** A call that is running or waiting. */
export interface ActiveCall {
  readonly id: string;
  readonly name: string;
  readonly parentId: string | null;
  readonly stage: string;
}
