import type { JsonValue } from '../json/json.ts';

/** A call as a model or a wire makes it. */
export interface ToolCall {
  /** Unique among the calls in flight; made by the session when absent. */
  readonly id?: string;
  readonly name: string;
  /** An object, or its JSON text (then parsed and reported as a repair). Default `{}`. */
  readonly arguments?: JsonValue;
}

/** Who made a call. `nested` and `host-nested` are decided from the parent's own record, never by a caller. */
export type Origin = 'agent' | 'nested' | 'host' | 'host-nested';
