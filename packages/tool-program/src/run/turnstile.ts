/** Lets a number of things through at once; the others wait, in order. */
export class Turnstile {
  #free: number;
  readonly #waiting = new Set<(passes: boolean) => void>();

  constructor(places: number) {
    this.#free = places;
  }

  /** Takes a place if one is free. */
  enterNow(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Takes a place; false when whoever waited was sent away, who then has nothing to give back. */
  async enter(signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted === true) return false;
    if (this.enterNow()) return true;
    return new Promise((resolve) => {
      const settle = (passes: boolean): void => {
        this.#waiting.delete(settle);
        signal?.removeEventListener('abort', giveUp);
        resolve(passes);
      };
      const giveUp = (): void => settle(false);
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(settle);
    });
  }

  /** Gives a place back, to whoever has waited longest. */
  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else next(true);
  }

  /** Sends away all who wait. */
  dismiss(): void {
    for (const settle of this.#waiting) settle(false);
  }
}
