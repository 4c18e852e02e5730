import { AsyncLocalStorage } from 'node:async_hooks';
import type { ActiveCall } from '@toolwright/core';
import type { RunningCall } from './running-call.ts';

/** The calls that a client has running, found by any call of the kernel that they led to. */
export class CallRegistry {
  readonly #calls = new Map<string, RunningCall>();
  readonly #current = new AsyncLocalStorage<RunningCall>();

  /** Runs a call; while it does, it is found by its id, by those of its children, and as the current one. */
  async run<T>(call: RunningCall, work: () => Promise<T>): Promise<T> {
    this.#calls.set(call.id, call);
    try {
      return await this.#current.run(call, work);
    } finally {
      this.#calls.delete(call.id);
    }
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

  /** The call on whose behalf this code runs. Where that cannot be told, the only one there is. */
  current(): RunningCall | undefined {
    const current = this.#current.getStore();
    if (current !== undefined) return current;
    const [only, ...others] = this.#calls.values();
    return others.length === 0 ? only : undefined;
  }

  cancelAll(reason: unknown): void {
    for (const call of this.#calls.values()) call.cancel(reason);
  }
}
