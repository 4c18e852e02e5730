const FIRST_MS = 500;
const MAX_MS = 30_000;
const WINDOW_MS = 5 * 60_000;

/** How long to wait before the next attempt, and when to give up: after a number of attempts in five minutes. */
export class Backoff {
  readonly #maxAttempts: number;
  readonly #now: () => number;
  readonly #random: () => number;
  #attempts: number[] = [];
  #inARow = 0;

  constructor(
    maxAttempts: number,
    sources: { readonly now: () => number; readonly random: () => number } = {
      now: Date.now,
      random: Math.random,
    },
  ) {
    this.#maxAttempts = maxAttempts;
    this.#now = sources.now;
    this.#random = sources.random;
  }

  /** Milliseconds to wait, with jitter; undefined when there are no more attempts. */
  next(): number | undefined {
    const now = this.#now();
    this.#attempts = this.#attempts.filter((at) => now - at < WINDOW_MS);
    if (this.#attempts.length >= this.#maxAttempts) return undefined;
    this.#attempts.push(now);
    const base = Math.min(FIRST_MS * 2 ** this.#inARow, MAX_MS);
    this.#inARow += 1;
    return base * (0.75 + this.#random() / 2);
  }

  /** An attempt was successful: the next wait is short again. The count in the window stays. */
  succeeded(): void {
    this.#inARow = 0;
  }
}
