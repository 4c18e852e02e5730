/** Milliseconds after a notice in which others are waited for. */
const QUIET_MS = 300;
/** Milliseconds between two refreshes, so that there are at most five in two seconds. */
const APART_MS = 450;
/** How many times as long as a refresh kept this process busy nothing is refreshed after it, within a bound. */
const REST_TIMES = 4;
const MAX_REST_MS = 30_000;
/** Milliseconds after which a refresh that failed is tried again. */
const RETRY_MS = [1_000, 2_000, 4_000];

/**
 * Turns notices that come in bursts into single refreshes, one at a time; a failed one is tried three times more. A list
 * that is long to read is read the more seldom: a server that keeps changing it must not keep the others waiting.
 */
export class RefreshSchedule {
  readonly #refresh: () => Promise<number>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isRunning = false;
  #isWanted = false;
  #lastAt = -Infinity;
  #restsUntil = -Infinity;
  #failures = 0;
  #ended = false;

  /** `refresh` resolves to the milliseconds in which it kept this process from anything else. */
  constructor(refresh: () => Promise<number>) {
    this.#refresh = refresh;
  }

  notice(): void {
    if (this.#ended) return;
    this.#failures = 0;
    this.#isWanted = true;
    this.#arm(QUIET_MS);
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  /** The first notice of a burst sets the time: those that follow do not put it off. */
  #arm(waitMs: number): void {
    if (this.#timer !== undefined || this.#isRunning) return;
    const apart = Math.max(this.#lastAt + APART_MS, this.#restsUntil) - performance.now();
    this.#timer = setTimeout(() => void this.#run(), Math.max(waitMs, apart));
    this.#timer.unref();
  }

  async #run(): Promise<void> {
    this.#timer = undefined;
    this.#isRunning = true;
    this.#isWanted = false;
    this.#lastAt = performance.now();
    let retryMs: number | undefined;
    try {
      const busyMs = await this.#refresh();
      this.#restsUntil = performance.now() + Math.min(REST_TIMES * busyMs, MAX_REST_MS);
    } catch {
      // The old list stands; a server that cannot list now may later.
      retryMs = RETRY_MS[this.#failures];
      this.#failures += 1;
    }
    this.#isRunning = false;
    if (this.#ended) return;
    if (this.#isWanted) this.#arm(QUIET_MS);
    else if (retryMs !== undefined) this.#arm(retryMs);
  }
}
