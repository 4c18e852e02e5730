/** What is called when a signal aborts, and the one listener that does it. */
interface Following {
  readonly callbacks: Set<() => void>;
  readonly notify: () => void;
}

/** By signal: one listener a signal, however many calls follow it. */
const followings = new WeakMap<AbortSignal, Following>();

/**
 * Calls `callback` when the signal aborts, at once if it has; returns how to stop. A thousand calls under one signal
 * cost it one listener, so runtimes that warn of many listeners have nothing to warn of.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => {};
  }
  const following = followings.get(signal) ?? follow(signal);
  following.callbacks.add(callback);
  return () => {
    following.callbacks.delete(callback);
    if (following.callbacks.size === 0 && followings.get(signal) === following) {
      followings.delete(signal);
      signal.removeEventListener('abort', following.notify);
    }
  };
}

/** Apart from `onAbort`: what a listener closes over must not keep a call that has ended. */
function follow(signal: AbortSignal): Following {
  const callbacks = new Set<() => void>();
  const notify = (): void => {
    followings.delete(signal);
    // A callback may take itself out while the others are called; a Set allows that.
    for (const callback of callbacks) callback();
  };
  signal.addEventListener('abort', notify, { once: true });
  const following = { callbacks, notify };
  followings.set(signal, following);
  return following;
}
