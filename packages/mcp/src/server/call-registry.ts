import type { ActiveCall } from '@toolwright/core';
import type { RunningCall } from './running-call.ts';

/** The calls that a client has running, found by any call of the kernel that they led to. */
export class CallRegistry {
  readonly #calls = new Map<string, RunningCall>();

  /** From now on a call is found by its id and by those of its children, until it is removed. */
  add(call: RunningCall): void {
    this.#calls.set(call.id, call);
  }

  remove(call: RunningCall): void {
    this.#calls.delete(call.id);
  }

  /** The client's call that a call of the kernel, perhaps a nested one, belongs to. */
  find(id: string, active: () => readonly ActiveCall[]): RunningCall | undefined {
    const own = this.#calls.get(id);
    if (own !== undefined) return own;
    const parents = new Map(active().map((entry) => [entry.id, entry.parentId]));
    for (let at = parents.get(id); at !== undefined && at !== null; at = parents.get(at)) {
      const call = this.#calls.get(at);
      if (call !== undefined) return call;
    }
    return undefined;
  }

  cancelAll(reason: unknown): void {
    for (const call of this.#calls.values()) call.cancel(reason);
  }
}
