import { onStop, type StopSignal } from './stop.ts';
import type { Ready } from './when-ready.ts';

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
    return [...this.#lanes.values()].filter(({ running }) => running > 0).length;
  }

  /** Takes a place, at once or when there is one; what gives it back. Rejects with the stop's reason. */
  enter(tool: string, claimed: number, stop: StopSignal): Ready<Place> {
    stop.throwIfAborted();
    // A tool may claim anything; less than one call at once would never run.
    const limit = claimed >= 1 ? claimed : 1;
    let lane = this.#lanes.get(tool);
    if (lane === undefined) {
      lane = { running: 0, waiting: [] };
      this.#lanes.set(tool, lane);
    }
    if (lane.waiting.length > 0 || lane.running >= limit) return waitIn(lane, limit, stop);
    lane.running += 1;
    return new Place(lane);
  }
}

function waitIn(lane: Lane, limit: number, stop: StopSignal): Promise<Place> {
  return new Promise((resolve, reject) => {
    const abandon = (): void => {
      lane.waiting.splice(lane.waiting.indexOf(waiter), 1);
      reject(stop.reason);
      // Who waited behind this one may need no more room than there is.
      startNext(lane);
    };
    const waiter: Waiter = {
      limit,
      start: () => {
        unfollow();
        resolve(new Place(lane));
      },
    };
    lane.waiting.push(waiter);
    const unfollow = onStop(stop, abandon);
  });
}

/** A place in a lane. */
export class Place {
  #lane: Lane | undefined;

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  /** Gives it back, once, to whoever has waited longest and may run beside the rest. */
  release(): void {
    const lane = this.#lane;
    this.#lane = undefined;
    if (lane === undefined) return;
    lane.running -= 1;
    startNext(lane);
  }
}

function startNext(lane: Lane): void {
  for (let next = lane.waiting[0]; next !== undefined; next = lane.waiting[0]) {
    if (lane.running >= next.limit) return;
    lane.waiting.shift();
    lane.running += 1;
    next.start();
  }
}
