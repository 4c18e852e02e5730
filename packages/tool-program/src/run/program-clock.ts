/** Milliseconds before the end of the time at which it is said to be near: what a thread takes to start on a busy machine. */
const nearMs = 250;
/** Milliseconds of waiting that are nobody's: a call's way through the kernel also looks like waiting. */
const unavoidableMs = 10;

/** What a {@link ProgramClock} tells. */
export interface ClockEvents {
  /** The time is nearly over and the script runs. May come again. */
  near(): void;
  /** The time is over. */
  expired(): void;
}

/**
 * The time that a program may take. It stands still while the script waits for calls that all wait themselves, for a
 * person or for a lock: only such waiting is not the program's own.
 */
export class ProgramClock {
  readonly #limitMs: number;
  readonly #events: ClockEvents;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #stoodStillMs = 0;
  #stillSince: number | undefined;
  #scriptWaits = false;
  #waitingCalls = 0;
  #runningCalls = 0;
  #ended = false;

  constructor(limitMs: number, events: ClockEvents) {
    this.#limitMs = limitMs;
    this.#events = events;
  }

  /** The script begins: what was needed to get there is not its time. */
  start(): void {
    this.#startedAt = performance.now();
    this.#arm();
  }

  /** The script runs, or waits for answers. */
  script(state: 'runs' | 'waits'): void {
    this.#scriptWaits = state === 'waits';
    this.#update();
  }

  /** A call was made: it waits until it begins to run. */
  callMade(): { begins(): void; ends(): void } {
    let state: 'waiting' | 'running' | 'ended' = 'waiting';
    this.#waitingCalls += 1;
    this.#update();
    return {
      begins: () => {
        if (state !== 'waiting') return;
        state = 'running';
        this.#waitingCalls -= 1;
        this.#runningCalls += 1;
        this.#update();
      },
      ends: () => {
        if (state === 'waiting') this.#waitingCalls -= 1;
        if (state === 'running') this.#runningCalls -= 1;
        state = 'ended';
        this.#update();
      },
    };
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #update(): void {
    const isStill = this.#scriptWaits && this.#waitingCalls > 0 && this.#runningCalls === 0;
    if (isStill && this.#stillSince === undefined) {
      this.#stillSince = performance.now();
    } else if (!isStill && this.#stillSince !== undefined) {
      const stillMs = performance.now() - this.#stillSince;
      if (stillMs > unavoidableMs) this.#stoodStillMs += stillMs;
      this.#stillSince = undefined;
      if (this.#timer === undefined) this.#arm();
    }
  }

  /** One timer, which looks again when it fires: standing still comes with every call and must cost nothing. */
  #arm(): void {
    this.#timer = undefined;
    if (this.#ended || this.#stillSince !== undefined) return;
    const leftMs = this.#limitMs - (performance.now() - this.#startedAt - this.#stoodStillMs);
    if (leftMs <= 0) {
      this.#events.expired();
      return;
    }
    const untilNearMs = leftMs - nearMs;
    if (untilNearMs <= 0 && !this.#scriptWaits) this.#events.near();
    this.#timer = setTimeout(() => this.#arm(), untilNearMs > 0 ? untilNearMs : leftMs);
  }
}
