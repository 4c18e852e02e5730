import { TimeLimit, type Expiring } from './time-limit.ts';

/**
 * A time limit that can be paused while a person or a lock is waited for. Pausing comes with every nested call: it only
 * notes the time, which is looked at again when the limit is reached.
 */
export class Deadline implements Expiring {
  readonly #limitMs: number;
  readonly #onExpire: () => void;
  readonly #limit: TimeLimit;
  readonly #startedAt: number;
  #isReached = false;
  #pauses = 0;
  #pausedAt = 0;
  #pausedMs = 0;
  #ended = false;

  constructor(limitMs: number, onExpire: () => void) {
    this.#limitMs = limitMs;
    this.#onExpire = onExpire;
    this.#limit = new TimeLimit(this);
    this.#limit.start(limitMs);
    this.#startedAt = this.#limit.dueAt - limitMs;
  }

  /** Milliseconds since it began, pauses included. */
  get elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** Stops the clock until the returned function is called; pauses nest. */
  pause(): () => void {
    this.#pauses += 1;
    if (this.#pauses === 1) this.#pausedAt = performance.now();
    let resumed = false;
    return () => {
      if (resumed) return;
      resumed = true;
      this.#pauses -= 1;
      if (this.#pauses > 0) return;
      this.#pausedMs += performance.now() - this.#pausedAt;
      if (this.#isReached) this.expire();
    };
  }

  end(): void {
    this.#ended = true;
    this.#limit.end();
  }

  /** Looks whether the time is over, pauses left out. */
  expire(): void {
    this.#isReached = true;
    // Resuming looks again.
    if (this.#ended || this.#pauses > 0) return;
    const leftMs = this.#limitMs - (this.elapsedMs - this.#pausedMs);
    if (leftMs <= 0) {
      this.#onExpire();
      return;
    }
    this.#isReached = false;
    this.#limit.start(leftMs);
  }
}
