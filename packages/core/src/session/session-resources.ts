import type { Provider } from '../provider/provider.ts';
import type { StateStore } from '../state/state-store.ts';
import type { SessionResource } from '../tool/tool-context.ts';

interface Kept {
  readonly value: unknown;
  readonly close: () => void | Promise<void>;
}

/** What tools keep for the length of a session, each under a key that only its owner holds. */
export class SessionResources {
  readonly #kept = new Map<object, Kept>();
  readonly #state: StateStore | undefined;
  readonly #states = new WeakMap<Provider, StateStore>();

  constructor(state: StateStore | undefined) {
    this.#state = state;
  }

  get<T>(key: SessionResource<T>): T {
    const kept = this.#kept.get(key);
    // The value under a key was made by that key's own `create`.
    if (kept !== undefined) return kept.value as T;
    const value = key.create();
    this.#kept.set(key, { value, close: () => key.close?.(value) });
    return value;
  }

  /** A provider's own corner of the session's state. */
  stateOf(provider: Provider): StateStore | undefined {
    if (this.#state === undefined) return undefined;
    let own = this.#states.get(provider);
    if (own === undefined) {
      own = underPrefix(this.#state, `provider/${provider.name}/`);
      this.#states.set(provider, own);
    }
    return own;
  }

  /** Closes all, newest first; one that fails does not keep the rest open. */
  async close(): Promise<void> {
    const kept = [...this.#kept.values()].reverse();
    this.#kept.clear();
    for (const { close } of kept) {
      try {
        await close();
      } catch {
        // The session is ending; there is nobody left to tell.
      }
    }
  }
}

function underPrefix(state: StateStore, prefix: string): StateStore {
  return {
    read: (key) => state.read(prefix + key),
    write: (key, bytes) => state.write(prefix + key, bytes),
    append: (key, bytes) => state.append(prefix + key, bytes),
    delete: (key) => state.delete(prefix + key),
    list: async (start) => {
      const keys = await state.list(prefix + start);
      return keys.map((key) => key.slice(prefix.length));
    },
  };
}
