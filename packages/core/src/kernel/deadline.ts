import { TimeLimit, type Expiring } from './time-limit.ts';

/**
 * A time limit that can be paused while a person or a lock is waited for; what a call waits for, those above it wait for
 * too. Pausing comes with every nested call: it only notes the time, which is looked at again when the limit is reached.
 */
export class Deadline implements Expiring {
  readonly #limitMs: number;
  readonly #onExpire: () => void;
  readonly #above: Deadline | undefined;
  readonly #limit: TimeLimit;
  readonly #startedAt: number;
  #isReached = false;
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
      if (this.#isReached) this.expire();
    };
  }

  /** Who never answered keeps nobody above waiting. */
  end(): void {
    this.#ended = true;
    this.#limit.end();
    this.#resumeAbove?.();
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
