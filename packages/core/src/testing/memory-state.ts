import type { StateStore } from '../state/state-store.ts';

/** A state store in memory, which outlives sessions as a directory would; `texts` are what it holds. */
export function memoryState(
  texts: Readonly<Record<string, string>> = {},
): StateStore & { texts(): Readonly<Record<string, string>> } {
  const kept = new Map(
    Object.entries(texts).map(([key, text]) => [key, new TextEncoder().encode(text)]),
  );
  return {
    texts: () =>
      Object.fromEntries([...kept].map(([key, bytes]) => [key, new TextDecoder().decode(bytes)])),
    read: async (key) => kept.get(key),
    write: async (key, bytes) => void kept.set(key, new Uint8Array(bytes)),
    append: async (key, bytes) =>
      void kept.set(key, new Uint8Array([...(kept.get(key) ?? []), ...bytes])),
    delete: async (key) => void kept.delete(key),
    list: async (prefix) => [...kept.keys()].filter((key) => key.startsWith(prefix)).sort(),
  };
}
