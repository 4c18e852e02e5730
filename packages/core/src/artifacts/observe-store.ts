import { hostCodeLimitMs, within } from '../kernel/within.ts';
import type {
  ArtifactRetention,
  ArtifactStore,
  ArtifactWriteOptions,
  ArtifactWriter,
} from './artifact-store.ts';
import { judgeRetention } from './judge-retention.ts';
import type { KnownArtifacts } from './known-artifacts.ts';

/**
 * The same store, within its time and taken at its word only where that can be true, noting what passes through it
 * as one session's. Whoever keeps something must pass its digest.
 */
export function observeStore(store: ArtifactStore, known: KnownArtifacts): ArtifactStore {
  // A store that hangs costs its artifact, not the call.
  const bounded = <T>(work: () => Promise<T>): Promise<T> => within(work, hostCodeLimitMs);

  const keep = async (
    work: () => Promise<ArtifactRetention>,
    options: ArtifactWriteOptions,
    bytes: number,
  ): Promise<ArtifactRetention> => {
    const { holder } = options;
    if (holder !== undefined) known.hold(holder);
    const kept = await bounded(async () => {
      const answered = await work();
      // A store that answers after the session has closed holds what nobody will let go of.
      if (holder !== undefined && known.closed) await store.release(holder);
      return answered;
    });
    const judged = judgeRetention(kept, { sha256: options.sha256?.() ?? '', bytes });
    if (judged.retained) {
      known.add(judged.artifact);
      if (known.isLarge) known.prune(await bounded(() => store.list()));
    }
    return judged;
  };

  return {
    put: (content, options) => keep(() => store.put(content, options), options, content.length),
    openWriter: async (options): Promise<ArtifactWriter> => {
      const writer = await bounded(() => store.openWriter(options));
      let length = 0;
      return {
        write: (bytes) => {
          length += bytes.length;
          return bounded(() => writer.write(bytes));
        },
        finish: () => keep(() => writer.finish(), options, length),
        abort: () => bounded(() => writer.abort()),
      };
    },
    stat: (uri) => store.stat(uri),
    openRead: (uri, range) => store.openRead(uri, range),
    pin: async (uri, holder) => {
      const pinned = await store.pin(uri, holder);
      if (pinned) known.hold(holder);
      return pinned;
    },
    release: async (holder) => {
      await store.release(holder);
      known.letGo(holder);
    },
    list: () => store.list(),
  };
}
