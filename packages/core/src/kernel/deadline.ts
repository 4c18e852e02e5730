/** A time limit that can be paused while a person or a lock is waited for. */
export class Deadline {
  readonly #onExpire: () => void;
  #remainingMs: number;
  #startedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pauses = 0;
  #ended = false;

  constructor(limitMs: number, onExpire: () => void) {
    this.#remainingMs = limitMs;
    this.#onExpire = onExpire;
    this.#start();
  }

  /** Stops the clock until the returned function is called; pauses nest. */
  pause(): () => void {
    this.#pauses += 1;
    if (this.#pauses === 1 && !this.#ended) {
      clearTimeout(this.#timer);
      this.#remainingMs -= performance.now() - this.#startedAt;
    }
    let resumed = false;
    return () => {
      if (resumed) return;
      resumed = true;
      this.#pauses -= 1;
      if (this.#pauses === 0 && !this.#ended) this.#start();
    };
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #start(): void {
    this.#startedAt = performance.now();
    // setTimeout holds at most 2^31-1 ms (24 days); a limit beyond that is none.
    if (this.#remainingMs > 2_147_483_647) return;
    this.#timer = setTimeout(this.#onExpire, Math.max(0, this.#remainingMs));
  }
}
