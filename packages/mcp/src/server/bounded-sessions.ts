/** What a set of sessions holds of each. */
export interface BoundedSession {
  close(): Promise<void>;
}

/** How many sessions there may be, and how long one may be idle. */
export interface SessionBounds {
  readonly maxSessions: number;
  readonly idleMs: number;
}

interface Held<T> {
  readonly value: T;
  /** Requests that are open now: what is in use is never idle. */
  active: number;
  usedAt: number;
}

/** Sessions by id: those that are idle for too long go, and the one that was used longest ago when there are too many. */
export class BoundedSessions<T extends BoundedSession> {
  readonly #held = new Map<string, Held<T>>();
  readonly #bounds: SessionBounds;
  readonly #sweep: ReturnType<typeof setInterval>;
  #reserved = 0;

  constructor(bounds: SessionBounds) {
    this.#bounds = bounds;
    this.#sweep = setInterval(() => this.#closeIdle(), Math.max(10, bounds.idleMs / 4));
    this.#sweep.unref();
  }

  /** Uses a session until the function that is returned is called; undefined when there is none of this id. */
  use(id: string): { readonly value: T; readonly release: () => void } | undefined {
    const held = this.#held.get(id);
    if (held === undefined) return undefined;
    held.active += 1;
    let isReleased = false;
    return {
      value: held.value,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        held.active -= 1;
        held.usedAt = Date.now();
      },
    };
  }

  /** Keeps a place for one that is about to be added; false when all that there are is in use. */
  reserve(): boolean {
    if (!this.#makeRoom()) return false;
    this.#reserved += 1;
    return true;
  }

  /** Gives back a place that was reserved and will not be filled. */
  unreserve(): void {
    this.#reserved -= 1;
  }

  #makeRoom(): boolean {
    if (this.#held.size + this.#reserved < this.#bounds.maxSessions) return true;
    let oldest: readonly [string, Held<T>] | undefined;
    for (const entry of this.#held) {
      if (entry[1].active > 0) continue;
      if (oldest === undefined || entry[1].usedAt < oldest[1].usedAt) oldest = entry;
    }
    if (oldest === undefined) return false;
    void this.close(oldest[0]);
    return true;
  }

  /** Fills a place that was reserved. */
  add(id: string, value: T): void {
    this.#reserved -= 1;
    this.#held.set(id, { value, active: 0, usedAt: Date.now() });
  }

  /** Closes one, if it is there. */
  async close(id: string): Promise<void> {
    const held = this.#held.get(id);
    this.#held.delete(id);
    await held?.value.close();
  }

  /** Closes all; one that fails does not keep the others. */
  async closeAll(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.allSettled([...this.#held.keys()].map((id) => this.close(id)));
  }

  #closeIdle(): void {
    const before = Date.now() - this.#bounds.idleMs;
    for (const [id, { active, usedAt }] of this.#held) {
      if (active === 0 && usedAt <= before) void this.close(id);
    }
  }
}
