import { Chain, type Link } from './chain.ts';

/** What happens when a {@link TimeLimit} is reached. */
export interface Expiring {
  expire(): void;
}

/** What runs, by length: limits of one length are due in the order in which they began. */
const running = new Map<number, Chain<TimeLimit>>();
const maxIdleLengths = 16;
let count = 0;

/** The one timer of all limits, when it fires, and by which function it was set (tests put another clock in its place). */
let timer: ReturnType<typeof setTimeout> | undefined;
let firesAt = Infinity;
let setBy: typeof setTimeout | undefined;

/** setTimeout holds at most 2^31-1 ms (24 days); a longer limit is looked at again then. */
const longestTimerMs = 2_147_483_647;

/**
 * Expires its target once after `limitMs`, unless it was ended before. Each call of the kernel has several limits and
 * reaches none as a rule, so all of them share one timer, which is set anew only when it fires or when something is due
 * earlier. It keeps the process alive only while a limit runs.
 */
export class TimeLimit {
  readonly dueAt: number;
  readonly target: Expiring;
  readonly #limitMs: number;
  readonly #same: Chain<TimeLimit>;
  readonly #link: Link<TimeLimit>;

  constructor(limitMs: number, target: Expiring) {
    let same = running.get(limitMs);
    if (same === undefined) {
      same = new Chain();
      running.set(limitMs, same);
    }
    this.dueAt = performance.now() + limitMs;
    this.target = target;
    this.#limitMs = limitMs;
    this.#same = same;
    this.#link = same.add(this);
    count += 1;
    if (this.dueAt < firesAt || setBy !== setTimeout) setTimer(this.dueAt);
    else if (count === 1) timer?.ref?.();
  }

  end(): void {
    if (!this.#same.remove(this.#link)) return;
    count -= 1;
    if (count === 0) timer?.unref?.();
    // Those of a few lengths come again and again; those of any length would add up.
    if (this.#same.size === 0 && running.size > maxIdleLengths) running.delete(this.#limitMs);
  }
}

/** Lets the timer go when no limit runs: after a session has closed, nothing of it is left. */
export function dropIdleTimer(): void {
  if (count > 0) return;
  clearTimeout(timer);
  timer = undefined;
  firesAt = Infinity;
}

function setTimer(dueAt: number): void {
  clearTimeout(timer);
  firesAt = dueAt;
  setBy = setTimeout;
  const waitMs = Math.ceil(dueAt - performance.now());
  timer = setTimeout(look, Math.min(Math.max(waitMs, 1), longestTimerMs));
}

function look(): void {
  timer = undefined;
  firesAt = Infinity;
  const now = performance.now();
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
