import { within } from '../kernel/within.ts';
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

  /** A provider's own corner of the session's state, for as long as `assertOpen` does not throw. */
  stateOf(provider: Provider, assertOpen: () => void): StateStore | undefined {
    if (this.#state === undefined) return undefined;
    return underPrefix(this.#state, `provider/${provider.name}/`, assertOpen);
  }

  /** Closes all, newest first; one that fails, or is not done within `limitMs`, does not keep the rest open. */
  async close(limitMs: number): Promise<void> {
    const kept = [...this.#kept.values()].reverse();
    this.#kept.clear();
    for (const { close } of kept) {
      try {
        await within(close, limitMs);
      } catch {
        // The session is ending; there is nobody left to tell.
      }
    }
  }
}

/** Segments of lower-case letters, digits and hyphens: nothing that a store could take for a way out. */
const keyPattern = /^[a-z0-9-]+(?:\/[a-z0-9-]+)*$/;

function underPrefix(state: StateStore, prefix: string, assertOpen: () => void): StateStore {
  const toKey = (key: string): string => {
    assertOpen();
    if (!keyPattern.test(key)) throw new TypeError(`${JSON.stringify(key)} is no state key.`);
    return prefix + key;
  };
  return Object.freeze<StateStore>({
    read: async (key) => state.read(toKey(key)),
    write: async (key, bytes) => state.write(toKey(key), bytes),
    append: async (key, bytes) => state.append(toKey(key), bytes),
    delete: async (key) => state.delete(toKey(key)),
    list: async (start) => {
      assertOpen();
      const keys = await state.list(prefix + start);
      // A store need not be trusted to keep to what it was asked.
      return keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
    },
  });
}
