import { Chain, type Link } from './chain.ts';

/** What happens when a {@link TimeLimit} is reached. */
export interface Expiring {
  expire(): void;
}

/** What runs, by length: limits of one length are due in the order in which they began. */
const running = new Map<number, Chain<TimeLimit>>();
const maxIdleLengths = 16;
/** Limits that have begun and not ended. */
let count = 0;

/** The one timer of all limits, when it fires, and by which function it was set (tests put another clock in its place). */
let timer: ReturnType<typeof setTimeout> | undefined;
let firesAt = Infinity;
let setBy: typeof setTimeout | undefined;
/** The clock that goes with that function. Kept, since `performance` is a getter that costs more than its `now`. */
let clock: { now(): number } | undefined;

/** setTimeout holds at most 2^31-1 ms (24 days); a longer limit is looked at again then. */
const longestTimerMs = 2_147_483_647;

/**
 * Expires its target a time after it was started, unless it was paused or ended before. Each call of the kernel waits under
 * several limits and reaches none as a rule, so one object serves all waits of a call, and all of them share one timer,
 * which is set anew only when it fires or when something is due earlier. It keeps the process alive only while a limit has
 * begun and not ended.
 */
export class TimeLimit {
  readonly #target: Expiring;
  #dueAt = 0;
  #limitMs = 0;
  #same: Chain<TimeLimit> | undefined;
  #link: Link<TimeLimit> | undefined;
  #hasBegun = false;

  constructor(target: Expiring) {
    this.#target = target;
  }

  get dueAt(): number {
    return this.#dueAt;
  }

  get target(): Expiring {
    return this.#target;
  }

  /** Runs from now on; a limit that runs already is to be paused first. */
  start(limitMs: number): void {
    const same = chainOf(limitMs);
    this.#dueAt = readClock() + limitMs;
    this.#limitMs = limitMs;
    this.#same = same;
    if (this.#link === undefined) this.#link = same.add(this);
    else same.put(this.#link);
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      count += 1;
      if (count === 1) timer?.ref?.();
    }
    if (this.#dueAt < firesAt) setTimer(this.#dueAt);
  }

  /** Does not run until it is started again. */
  pause(): void {
    if (this.#link === undefined || this.#same?.remove(this.#link) !== true) return;
    // Those of a few lengths come again and again; those of any length would add up.
    if (this.#same.size === 0 && running.size > maxIdleLengths) running.delete(this.#limitMs);
  }

  end(): void {
    this.pause();
    if (!this.#hasBegun) return;
    this.#hasBegun = false;
    count -= 1;
    if (count === 0) timer?.unref?.();
  }
}

/** Lets the timer go when no limit runs: after a session has closed, nothing of it is left. */
export function dropIdleTimer(): void {
  if (count > 0) return;
  clearTimeout(timer);
  timer = undefined;
  firesAt = Infinity;
}

function chainOf(limitMs: number): Chain<TimeLimit> {
  let same = running.get(limitMs);
  if (same === undefined) {
    same = new Chain();
    running.set(limitMs, same);
  }
  return same;
}

function readClock(): number {
  if (clock === undefined || setBy !== setTimeout) {
    setBy = setTimeout;
    clock = performance;
    // A timer of the clock before this one may never fire.
    firesAt = Infinity;
  }
  return clock.now();
}

function setTimer(dueAt: number): void {
  clearTimeout(timer);
  firesAt = dueAt;
  const waitMs = Math.ceil(dueAt - readClock());
  timer = setTimeout(look, Math.min(Math.max(waitMs, 1), longestTimerMs));
}

function look(): void {
  timer = undefined;
  firesAt = Infinity;
  const now = readClock();
  const due: Expiring[] = [];
  let next = Infinity;
  for (const [limitMs, limits] of running) {
    for (let limit = limits.first; limit !== undefined; limit = limits.first) {
      if (limit.dueAt > now) {
        next = Math.min(next, limit.dueAt);
        break;
      }
      due.push(limit.target);
      limit.end();
    }
    if (limits.size === 0) running.delete(limitMs);
  }
  if (next < Infinity) setTimer(next);
  for (const target of due) target.expire();
}
