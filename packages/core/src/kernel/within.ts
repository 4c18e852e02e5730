import { Patience } from './patience.ts';
import type { Stop } from './stop.ts';

/** Milliseconds that the host's own code (hooks, budgets, stores) has for one answer. */
export const hostCodeLimitMs = 5_000;

/**
 * What `work` answers, within `limitMs` and before `stop` comes. The work itself is not stopped: its late
 * value or error goes nowhere. Rejects with `TookTooLongError`, the stop's reason or the work's own error.
 */
export function within<T>(
  work: () => T | PromiseLike<T>,
  limitMs: number,
  stop?: Stop,
): Promise<T> {
  return new Patience().during(async (patience) => {
    stop?.throwIfAborted();
    try {
      return await patience.wait(work(), limitMs);
    } finally {
      patience.over();
      patience.end();
    }
  }, stop);
}
