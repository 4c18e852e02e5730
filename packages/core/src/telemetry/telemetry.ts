import type { Origin } from '../tool/tool-call.ts';

/** One ended call, as numbers and names: no arguments, no output. */
export interface InvocationRecord {
  readonly session_id: string;
  readonly invocation_id: string;
  readonly parent_id: string | null;
  readonly tool: string;
  readonly origin: Origin;
  readonly state: 'completed' | 'rejected' | 'cancelled' | 'failed';
  readonly error_type: string | null;
  /** Names of the arguments, sorted; never their values. */
  readonly argument_keys: readonly string[];
  readonly argument_bytes: number;
  readonly original_bytes: number;
  readonly projected_bytes: number;
  /** Milliseconds from its beginning to its end, by the host's clock. */
  readonly duration_ms: number;
}

/** Takes records of ended calls; what it throws is dropped and what it awaits delays nobody. */
export type Telemetry = (record: InvocationRecord) => void | Promise<void>;
