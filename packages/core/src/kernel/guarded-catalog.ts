import type { ToolCatalog } from '../tool/tool-catalog.ts';

/** The session's catalogue for one call: what the call does to the object changes nothing, and it ends with the call. */
export function guardedCatalog(catalog: ToolCatalog, assertOpen: () => void): ToolCatalog {
  return Object.freeze<ToolCatalog>({
    get version() {
      return catalog.version;
    },
    entries: (options) => {
      assertOpen();
      return catalog.entries(options);
    },
    load: (names, by) => {
      assertOpen();
      return catalog.load(names, by);
    },
    unload: (names) => {
      assertOpen();
      return catalog.unload(names);
    },
    subscribe: (listener) => {
      assertOpen();
      const stop = catalog.subscribe(() => {
        try {
          assertOpen();
        } catch {
          // The call has ended, and its listening with it.
          stop();
          return;
        }
        listener();
      });
      return stop;
    },
  });
}
