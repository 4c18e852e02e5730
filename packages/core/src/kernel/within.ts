import type { Link } from './chain.ts';
import { Stop, type Stopping } from './stop.ts';
import { TimeLimit, type Expiring } from './time-limit.ts';

/** Milliseconds that the host's own code (hooks, budgets, stores) has for one answer. */
export const hostCodeLimitMs = 5_000;

/** Thrown by `within` when the time is over. */
export class TookTooLongError extends Error {
  override readonly name = 'TookTooLongError';
}

/**
 * What `work` answers, within `limitMs` and before `stop` comes. The work itself is not stopped: its late
 * value or error goes nowhere. Rejects with `TookTooLongError`, the stop's reason or the work's own error.
 */
export function within<T>(
  work: () => T | PromiseLike<T>,
  limitMs: number,
  stop?: Stop,
): Promise<T> {
  try {
    stop?.throwIfAborted();
    const answer = work();
    // Many answers are there at once.
    if (!isThenable(answer)) return Promise.resolve(answer);
    return new Promise<T>((resolve, reject) => {
      new Wait<T>(resolve, reject).for(Promise.resolve(answer), limitMs, stop);
    });
  } catch (error) {
    return Promise.reject(error);
  }
}

/** The value of `running`, or the rejection of the stop, whichever comes first. */
export function orStopped<T>(running: Promise<T>, stop: Stop): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    new Wait<T>(resolve, reject).for(running, Infinity, stop);
  });
}

/** One promise that waits for an answer, its time limit and its stop at once. */
class Wait<T> implements Expiring, Stopping {
  readonly #resolve: (value: T) => void;
  readonly #reject: (reason: unknown) => void;
  #limitMs = Infinity;
  #limit: TimeLimit | undefined;
  #stop: Stop | undefined;
  #link: Link<Stopping> | undefined;

  constructor(resolve: (value: T) => void, reject: (reason: unknown) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  for(answer: Promise<T>, limitMs: number, stop: Stop | undefined): void {
    this.#limitMs = limitMs;
    this.#stop = stop;
    if (limitMs < Infinity) this.#limit = new TimeLimit(limitMs, this);
    // The work itself may have brought the stop about.
    if (stop?.aborted === true) this.stopped();
    else this.#link = stop?.follow(this);
    answer.then(
      (value) => this.#answered(value),
      (error: unknown) => this.#failed(error),
    );
  }

  expire(): void {
    this.#end();
    this.#reject(new TookTooLongError(`No answer within ${this.#limitMs} ms.`));
  }

  stopped(): void {
    this.#end();
    this.#reject(this.#stop?.reason);
  }

  #answered(value: T): void {
    this.#end();
    this.#resolve(value);
  }

  #failed(error: unknown): void {
    this.#end();
    this.#reject(error);
  }

  #end(): void {
    this.#limit?.end();
    if (this.#link !== undefined) this.#stop?.unfollow(this.#link);
  }
}

/** Whether an answer has to be waited for. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    'then' in value
  );
}
