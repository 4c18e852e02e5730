import type { Link } from './chain.ts';
import type { Stop, Stopping } from './stop.ts';
import { TimeLimit, type Expiring } from './time-limit.ts';

/** What a wait ends with when its time is over. */
export class TookTooLongError extends Error {
  override readonly name = 'TookTooLongError';
}

/** Ends a stretch of work that nobody waits for any more; it comes to nobody. */
const left = new TookTooLongError('This work was left while it waited.');

/**
 * A stretch of work that waits for answers of other code, each within its time and before a stop comes. The work awaits the
 * answers themselves, with nothing in between; when one does not come, the whole stretch is left where it stands, and who
 * waits for it is told why. One object serves all stretches of a call, one after the other, until one is left.
 */
export class Patience implements Expiring, Stopping {
  #limit: TimeLimit | undefined;
  #limitMs = Infinity;
  #late: ((error: TookTooLongError) => unknown) | undefined;
  #stop: Stop | undefined;
  #link: Link<Stopping> | undefined;
  #reject: ((reason: unknown) => void) | undefined;
  #isLeft = false;

  /** Whether a stretch was left: then the next needs another object. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  /**
   * What `work` comes to, or why it was left: its waits pass by `await patience.wait(…)`, and where it goes on after one it
   * says `patience.over()`.
   */
  during<T>(work: (patience: Patience) => Promise<T>, stop?: Stop): Promise<T> {
    // A stretch that failed may have left its last wait open.
    this.rest();
    this.#stop = stop;
    return new Promise<T>((resolve, reject) => {
      this.#reject = reject;
      work(this).then(resolve, reject);
    });
  }

  /**
   * Begins to wait for an answer, which it hands back. When it does not come within `limitMs`, the stretch ends with what
   * `late` makes of that (default: the error itself); when the stop comes before, with its reason.
   */
  wait<T>(answer: T, limitMs: number, late?: (error: TookTooLongError) => unknown): T {
    this.#limitMs = limitMs;
    this.#late = late;
    // The other code may itself have brought the stop about.
    if (this.#stop?.aborted === true) this.#leave(this.#stop.reason);
    else {
      if (limitMs < Infinity) this.#start(limitMs);
      if (this.#stop !== undefined) this.#link = this.#stop.follow(this, this.#link);
    }
    return answer;
  }

  /** The answer is there. Throws in a stretch that was left meanwhile: it must not go on. */
  over(): void {
    if (this.#isLeft) throw left;
    this.rest();
  }

  /** Neither the clock nor the stop is heeded until it waits again. */
  rest(): void {
    this.#limit?.pause();
    if (this.#link !== undefined) this.#stop?.unfollow(this.#link);
  }

  /** Nothing is waited for any more. */
  end(): void {
    this.rest();
    this.#limit?.end();
  }

  expire(): void {
    const error = new TookTooLongError(`No answer within ${this.#limitMs} ms.`);
    this.#leave(this.#late === undefined ? error : this.#late(error));
  }

  stopped(source: Stop): void {
    this.#leave(source.reason);
  }

  #start(limitMs: number): void {
    this.#limit ??= new TimeLimit(this);
    this.#limit.start(limitMs);
  }

  #leave(reason: unknown): void {
    this.#isLeft = true;
    this.end();
    this.#reject?.(reason);
  }
}
