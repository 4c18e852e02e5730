import { setTimeout as delay } from 'node:timers/promises';
import { isTransient } from './failures.ts';
import type { TransferContext } from './transfer-context.ts';

/** How often one thing is tried in all. */
export const MAX_ATTEMPTS = 3;
/** Longest wait that a server can impose, in milliseconds. */
const MAX_WAIT_MS = 30_000;

/**
 * Does `attempt` up to {@link MAX_ATTEMPTS} times, as long as it fails transiently; between, waits as the server says or twice as long
 * each time. The last failure is thrown as it is.
 */
export async function withRetries<T>(
  context: TransferContext,
  attempt: (number: number) => Promise<T>,
): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (error) {
      if (number === MAX_ATTEMPTS || !isTransient(error) || context.signal.aborted) {
        throw error;
      }
      await waitBefore(context, number, error.fields['retry_after_ms']);
    }
  }
}

async function waitBefore(context: TransferContext, number: number, asked: unknown): Promise<void> {
  const own = context.retryDelayMs * 2 ** (number - 1);
  const wait = typeof asked === 'number' ? Math.min(asked, MAX_WAIT_MS) : own;
  await delay(wait, undefined, { signal: context.signal });
}
