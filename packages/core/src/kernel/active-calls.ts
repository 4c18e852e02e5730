import type { Invocation } from './invocation.ts';

/** Ids of calls that have ended and are kept beside as many in flight. */
const maxEnded = 64;

/**
 * The calls that have begun and not ended, by id. The place of one that has ended is emptied, and taken out only with many
 * others: a Map that loses its last entry makes its table anew, which would come with every call that runs alone.
 */
export class ActiveCalls {
  #byId = new Map<string, Invocation | undefined>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Ids that are kept, those of ended calls too; for tests of leaks. */
  get places(): number {
    return this.#byId.size;
  }

  get(id: string): Invocation | undefined {
    return this.#byId.get(id);
  }

  /** Only for an id that no call in flight has. */
  add(invocation: Invocation): void {
    this.#byId.set(invocation.id, invocation);
    this.#size += 1;
  }

  /** Takes out a call; false if it is not in, though another with its id may be. */
  remove(invocation: Invocation): boolean {
    if (this.#byId.get(invocation.id) !== invocation) return false;
    this.#byId.set(invocation.id, undefined);
    this.#size -= 1;
    if (this.#byId.size > 2 * this.#size + maxEnded) {
      this.#byId = new Map(this.values().map((call) => [call.id, call]));
    }
    return true;
  }

  /** In the order in which they began, as far as ids do not come again. */
  values(): readonly Invocation[] {
    return [...this.#byId.values()].filter((call) => call !== undefined);
  }
}
