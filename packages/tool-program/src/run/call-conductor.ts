import type { VmAnswer, VmCall } from '../vm/messages.ts';
import type { CallSummary } from './call-record.ts';

/** Sends answers into the VM. */
export type Respond = (answers: readonly VmAnswer[]) => void;

/** Sees to the calls that a script makes: performs them, or answers them from a log. */
export interface CallConductor {
  /** The script waits, after it has made `calls`; their answers go to `respond`, then or later. */
  handle(calls: readonly VmCall[], respond: Respond): void;
  /** Settles when no call is under way any more. Never rejects. */
  idle(): Promise<void>;
  /** One line a call of a tool, in the order in which they were made. */
  summaries(): readonly CallSummary[];
  /** Whether text from outside has reached the script. */
  readonly external: boolean;
}
