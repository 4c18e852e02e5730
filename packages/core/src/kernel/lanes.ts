interface Waiter {
  readonly limit: number;
  readonly start: () => void;
}

interface Lane {
  running: number;
  readonly waiting: Waiter[];
}

/** How many calls of one tool run at once in a session: each call's own `maxParallelism`, first come first served. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();

  /** Tools with calls that run or wait; for tests of leaks. */
  get size(): number {
    return this.#lanes.size;
  }

  /** Waits for a place; resolves to what gives it back. Rejects with the signal's reason. */
  async enter(tool: string, claimed: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    // A tool may claim anything; less than one call at once would never run.
    const limit = claimed >= 1 ? claimed : 1;
    let lane = this.#lanes.get(tool);
    if (lane === undefined) {
      lane = { running: 0, waiting: [] };
      this.#lanes.set(tool, lane);
    }
    const entered = lane;
    if (entered.waiting.length > 0 || entered.running >= limit) {
      await new Promise<void>((resolve, reject) => {
        const abandon = (): void => {
          entered.waiting.splice(entered.waiting.indexOf(waiter), 1);
          reject(signal.reason);
        };
        const waiter: Waiter = {
          limit,
          start: () => {
            signal.removeEventListener('abort', abandon);
            resolve();
          },
        };
        entered.waiting.push(waiter);
        signal.addEventListener('abort', abandon, { once: true });
      });
    } else entered.running += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      entered.running -= 1;
      for (let next = entered.waiting[0]; next !== undefined; next = entered.waiting[0]) {
        if (entered.running >= next.limit) return;
        entered.waiting.shift();
        entered.running += 1;
        next.start();
      }
      if (entered.running === 0) this.#lanes.delete(tool);
    };
  }
}
