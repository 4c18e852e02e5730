import { defaultTimeoutMs, type SearchContext, type SearchInput } from './search-input.ts';

/** When a search answers with what it has. */
export interface SearchDeadline {
  /** Aborted at the deadline, and when the call is cancelled. */
  readonly signal: AbortSignal;
  /** The time is up; a cancelled call is not meant. */
  readonly hasPassed: boolean;
  /** Milliseconds that are left, at least 1. */
  readonly leftMs: number;
}

/** The deadline of a search that begins now. */
export function searchDeadline(input: SearchInput, context: SearchContext): SearchDeadline {
  const timeoutMs = input.timeout ?? defaultTimeoutMs;
  const endsAt = performance.now() + timeoutMs;
  const own = AbortSignal.timeout(timeoutMs);
  return {
    signal: AbortSignal.any([context.signal, own]),
    get hasPassed() {
      return own.aborted && !context.signal.aborted;
    },
    get leftMs() {
      return Math.max(Math.ceil(endsAt - performance.now()), 1);
    },
  };
}
