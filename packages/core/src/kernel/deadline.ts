/**
 * A time limit that can be paused while a person or a lock is waited for. Pausing comes with every nested call: it only
 * notes the time, and the one timer looks again when it fires.
 */
export class Deadline {
  readonly #limitMs: number;
  readonly #onExpire: () => void;
  readonly #startedAt = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pauses = 0;
  #pausedAt = 0;
  #pausedMs = 0;
  #ended = false;

  constructor(limitMs: number, onExpire: () => void) {
    this.#limitMs = limitMs;
    this.#onExpire = onExpire;
    this.#arm(limitMs);
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
      if (this.#timer === undefined) this.#look();
    };
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #look(): void {
    this.#timer = undefined;
    // Resuming looks again.
    if (this.#ended || this.#pauses > 0) return;
    const leftMs = this.#limitMs - (performance.now() - this.#startedAt - this.#pausedMs);
    if (leftMs > 0) this.#arm(leftMs);
    else this.#onExpire();
  }

  #arm(leftMs: number): void {
    // setTimeout holds at most 2^31-1 ms (24 days): a longer limit is looked at again then.
    this.#timer = setTimeout(() => this.#look(), Math.max(0, Math.min(leftMs, 2_147_483_647)));
  }
}
