import type { ServedSession, SessionChange } from './served-session.ts';

/** Milliseconds in which changes of one kind are told once. */
const debounceMs = 100;

/** Tells the changes of a session, the same one at most every 100 ms; returns how to stop. */
export function notifyChanges(
  served: ServedSession,
  tell: (change: SessionChange) => Promise<void>,
): () => void {
  const pending = new Map<string, ReturnType<typeof setTimeout>>();
  const stop = served.subscribe((change) => {
    const key = typeof change === 'string' ? change : change.resource;
    if (pending.has(key)) return;
    const timer = setTimeout(() => {
      pending.delete(key);
      // A client that cannot be told is gone.
      tell(change).catch(() => {});
    }, debounceMs);
    timer.unref();
    pending.set(key, timer);
  });
  return () => {
    stop();
    for (const timer of pending.values()) clearTimeout(timer);
    pending.clear();
  };
}
