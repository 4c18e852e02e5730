/** Milliseconds that the host's own code (hooks, budgets, stores) has for one answer. */
export const hostCodeLimitMs = 5_000;

/** Thrown by `within` when the time is over. */
export class TookTooLongError extends Error {
  override readonly name = 'TookTooLongError';
}

/**
 * What `work` answers, within `limitMs` and before `signal`, if any, aborts. The work itself is not stopped: its late
 * value or error goes nowhere. Rejects with `TookTooLongError`, the signal's reason or the work's own error.
 */
export function within<T>(
  work: () => T | PromiseLike<T>,
  limitMs: number,
  signal?: AbortSignal,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const onAbort = (): void => {
      done();
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      done();
      reject(new TookTooLongError(`No answer within ${limitMs} ms.`));
    }, limitMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    const settle = async (): Promise<void> => {
      try {
        resolve(await work());
      } catch (error) {
        reject(error);
      } finally {
        done();
      }
    };
    void settle();
  });
}
