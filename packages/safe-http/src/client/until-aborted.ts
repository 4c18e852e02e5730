/** Waits for `promise`, but no longer than until `signal` aborts; then throws the signal's reason. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const settled = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('Aborted.'));
    };
    signal.addEventListener('abort', onAbort, { once: true, signal: settled.signal });
  });
  // What was given up may fail later; nobody waits for it then.
  promise.catch(() => {});
  try {
    signal.throwIfAborted();
    return await Promise.race([promise, aborted]);
  } finally {
    settled.abort();
  }
}
