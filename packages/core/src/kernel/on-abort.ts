/** Callbacks by signal: one listener a signal, however many calls follow it. */
const followers = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `callback` when the signal aborts, at once if it has; returns how to stop. A thousand calls under one signal
 * cost it one listener, so runtimes that warn of many listeners have nothing to warn of.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => {};
  }
  let callbacks = followers.get(signal);
  if (callbacks === undefined) {
    const created = new Set<() => void>();
    const notify = (): void => {
      followers.delete(signal);
      for (const follow of created) follow();
    };
    signal.addEventListener('abort', notify, { once: true });
    created.add(callback);
    followers.set(signal, created);
    callbacks = created;
    detachers.set(created, () => {
      signal.removeEventListener('abort', notify);
      followers.delete(signal);
    });
  } else callbacks.add(callback);
  const own = callbacks;
  return () => {
    own.delete(callback);
    if (own.size === 0) detachers.get(own)?.();
  };
}

const detachers = new WeakMap<Set<() => void>, () => void>();
