/** Milliseconds of one look: some more than it takes to wake a thread that sleeps. */
const lookMs = 0.2;
/** Loads between two glances at the clock. */
const loadsAtOnce = 20;
/** What a look in vain costs, where one that paid earns 1. */
const price = 4;
const maxCredit = 32;
/** Turns of waiting that are slept through once the credit is used up. */
const restTurns = 64;

/**
 * Looks for a change a moment before sleeping: to sleep and be woken takes longer than most calls do. Where it does not
 * pay, since what is waited for lasts, or the processors have other things to do, it is left alone for a while.
 */
export class Patience {
  #isAllowed;
  #clock;
  #credit = price;
  #resting = 0;

  /**
   * @param {boolean} isAllowed False where only one thread runs at a time.
   * @param {() => number} [clock] Milliseconds.
   */
  constructor(isAllowed, clock = () => performance.now()) {
    this.#isAllowed = isAllowed;
    this.#clock = clock;
  }

  /**
   * Whether the count at `index` is another than `seen`, now or soon.
   * @param {Int32Array} counts Of shared memory.
   * @param {number} index
   * @param {number} seen
   */
  sees(counts, index, seen) {
    if (Atomics.load(counts, index) !== seen) return true;
    if (!this.#isAllowed) return false;
    if (this.#resting > 0) {
      this.#resting -= 1;
      return false;
    }
    if (this.#looks(counts, index, seen)) {
      this.#credit = Math.min(maxCredit, this.#credit + 1);
      return true;
    }
    this.#credit -= price;
    if (this.#credit <= 0) {
      this.#credit = price;
      this.#resting = restTurns;
    }
    return false;
  }

  /**
   * @param {Int32Array} counts
   * @param {number} index
   * @param {number} seen
   */
  #looks(counts, index, seen) {
    const end = this.#clock() + lookMs;
    do {
      for (let load = 0; load < loadsAtOnce; load += 1) {
        if (Atomics.load(counts, index) !== seen) return true;
      }
    } while (this.#clock() < end);
    return false;
  }
}
