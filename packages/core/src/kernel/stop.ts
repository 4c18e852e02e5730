import { Chain, type Link } from './chain.ts';
import { onAbort } from './on-abort.ts';

/** What a {@link Stop} tells that it has come. */
export interface Stopping {
  stopped(source: Stop): void;
}

/** What tells work inside the kernel to stop. */
export type StopSignal = Stop | AbortSignal;

/**
 * The kernel's own stop of one piece of work. Making, following and aborting an `AbortController` costs microseconds;
 * here one is made only when somebody outside the kernel asks for its signal.
 */
export class Stop {
  #aborted = false;
  #reason: unknown;
  #controller: AbortController | undefined;
  #followers: Chain<Stopping> | undefined;

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** The same stop for tools, hooks and services. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Who follows; for tests of leaks. */
  get followers(): number {
    return this.#followers?.size ?? 0;
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }

  /** Stops what follows; the first reason stays. */
  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    // A follower may take others out while it is told.
    for (let next = this.#followers?.shift(); next !== undefined; next = this.#followers?.shift()) {
      next.stopped(this);
    }
  }

  /** Tells of the stop when it comes. Only for a stop that has not come yet. A follower's link may be used again. */
  follow(follower: Stopping, link?: Link<Stopping>): Link<Stopping> {
    this.#followers ??= new Chain();
    if (link === undefined) return this.#followers.add(follower);
    this.#followers.put(link);
    return link;
  }

  unfollow(link: Link<Stopping>): void {
    this.#followers?.remove(link);
  }
}

/** Calls `callback` when the stop comes, at once if it has; returns how to stop following. */
export function onStop(stop: StopSignal, callback: () => void): () => void {
  if (stop.aborted) {
    callback();
    return () => {};
  }
  if (!(stop instanceof Stop)) return onAbort(stop, callback);
  const link = stop.follow({ stopped: callback });
  return () => stop.unfollow(link);
}

/**
 * Options that make a stop's signal for whoever reads it. A class, since an object literal with a getter costs V8 a shape
 * of its own each time.
 */
export class SignalOptions {
  readonly #stop: Stop;

  constructor(stop: Stop) {
    this.#stop = stop;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  static {
    // Hooks and tools get these: what one does to the prototype would reach all.
    Object.freeze(this.prototype);
  }
}
