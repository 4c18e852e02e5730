import { TimeLimit, type Expiring } from './time-limit.ts';

/**
 * A time limit that can be paused while a person or a lock is waited for; what a call waits for, those above it wait for
 * too. Pausing comes with every nested call: it only notes the time, which is looked at again when the limit is reached.
 */
export class Deadline implements Expiring {
  readonly #limitMs: number;
  readonly #onExpire: () => void;
  readonly #above: Deadline | undefined;
  readonly #startedAt = performance.now();
  #limit: TimeLimit | undefined;
  #pauses = 0;
  #pausedAt = 0;
  #pausedMs = 0;
  #resumeAbove: (() => void) | undefined;
  #ended = false;

  /** `above` is that of the call which made this one. */
  constructor(limitMs: number, onExpire: () => void, above?: Deadline) {
    this.#limitMs = limitMs;
    this.#onExpire = onExpire;
    this.#above = above;
    this.#arm(limitMs);
  }

  /** Stops the clock until the returned function is called; pauses nest. */
  pause(): () => void {
    this.#pauses += 1;
    if (this.#pauses === 1) {
      this.#pausedAt = performance.now();
      if (!this.#ended) this.#resumeAbove = this.#above?.pause();
    }
    let resumed = false;
    return () => {
      if (resumed) return;
      resumed = true;
      this.#pauses -= 1;
      if (this.#pauses > 0) return;
      this.#pausedMs += performance.now() - this.#pausedAt;
      this.#resumeAbove?.();
      if (this.#limit === undefined) this.expire();
    };
  }

  /** Who never answered keeps nobody above waiting. */
  end(): void {
    this.#ended = true;
    this.#limit?.end();
    this.#resumeAbove?.();
  }

  /** Looks whether the time is over, pauses left out. */
  expire(): void {
    this.#limit = undefined;
    // Resuming looks again.
    if (this.#ended || this.#pauses > 0) return;
    const leftMs = this.#limitMs - (performance.now() - this.#startedAt - this.#pausedMs);
    if (leftMs > 0) this.#arm(leftMs);
    else this.#onExpire();
  }

  #arm(leftMs: number): void {
    this.#limit = new TimeLimit(leftMs, this);
  }
}
