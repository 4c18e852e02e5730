import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work after which others have their turn. */
const turnMs = 4;

/** Lets long synchronous work be done in turns, so that the event loop stays responsive, and ends it when aborted. */
export class TurnTaker {
  readonly #signal: AbortSignal | undefined;
  #began = performance.now();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.throwIfAborted();
  }

  /** Returns at once, or after everybody else had a turn. Throws what the signal was aborted with. */
  async next(): Promise<void> {
    if (performance.now() - this.#began < turnMs) return;
    await setImmediate();
    this.#signal?.throwIfAborted();
    this.#began = performance.now();
  }
}
