import { ToolError } from '../errors/tool-error.ts';
import type { JsonObject } from '../json/json.ts';
import { hostCodeLimitMs, within } from '../kernel/within.ts';
import type { ArtifactAccess } from './artifact-access.ts';
import type { ArtifactInfo, ArtifactStore } from './artifact-store.ts';
import { fromArtifactUri } from './artifact-uri.ts';
import { readArtifact } from './read-artifact.ts';

/** Bytes that one `read` of an artifact gives at most. */
const maxReadBytes = 16 * 1024 * 1024;

const neverAborted = new AbortController().signal;

/**
 * A session's share of an artifact store: what its own calls kept, pinned until the call is released or the
 * session closes. A store may serve many sessions; none can name what another kept.
 */
export class SessionArtifacts {
  readonly store: ArtifactStore;
  readonly #sessionId: string;
  readonly #known = new Set<string>();
  /** Holders for which something was kept: most calls keep nothing, and a session can make many. */
  readonly #holders = new Set<string>();
  readonly #ownsAll: boolean;

  constructor(store: ArtifactStore, sessionId: string, options: { readonly ownsAll: boolean }) {
    this.#sessionId = sessionId;
    this.#ownsAll = options.ownsAll;
    this.store = this.#observe(store);
  }

  /** Who holds what a call kept. */
  holder(invocationId: string): string {
    return `${this.#sessionId}/${invocationId}`;
  }

  /** Keeps a part that did not fit its bound; what to say of it in metadata. */
  async keep(
    invocation: { readonly id: string; readonly name: string },
    bytes: Uint8Array,
    mediaType: string,
  ): Promise<JsonObject> {
    try {
      const kept = await this.store.put(bytes, {
        tool: invocation.name,
        mediaType,
        holder: this.holder(invocation.id),
      });
      return kept.retained
        ? { artifact_uri: kept.artifact.uri }
        : { not_retained: true, reason: kept.reason };
    } catch {
      return { not_retained: true, reason: 'store_failed' };
    }
  }

  /** Keeps the output of a tool that answered after its call had ended; its URI, where it was kept. */
  async keepLate(tool: string, output: string | Uint8Array): Promise<string | null> {
    const bytes = typeof output === 'string' ? new TextEncoder().encode(output) : output;
    const kept = await this.keep({ id: 'late', name: tool }, bytes, 'text/plain; charset=utf-8');
    return typeof kept['artifact_uri'] === 'string' ? kept['artifact_uri'] : null;
  }

  /** What tools and the host may do with the session's artifacts. */
  access(tool: string, assertAlive: () => void): ArtifactAccess {
    const find = async (uri: string): Promise<ArtifactInfo> => {
      assertAlive();
      const info = this.#knows(uri) ? await this.store.stat(uri) : undefined;
      if (info === undefined) throw notKept(uri);
      return info;
    };
    return {
      stat: find,
      read: async (uri, { start, length }) => {
        await find(uri);
        const range = { offset: start, length: Math.min(length, maxReadBytes) };
        const slice = await readArtifact(this.store, uri, range);
        if (slice === undefined) throw notKept(uri);
        return slice.bytes;
      },
      writer: async (options = {}) => {
        assertAlive();
        return this.store.openWriter({ tool, holder: this.holder('written'), ...options });
      },
    };
  }

  async list(): Promise<readonly ArtifactInfo[]> {
    const all = await this.store.list();
    return all.filter((info) => this.#knows(info.uri));
  }

  /** Takes over what a snapshot says the session had. */
  adopt(artifacts: readonly ArtifactInfo[]): void {
    for (const { uri } of artifacts) this.#known.add(uri);
  }

  async release(invocationId: string): Promise<void> {
    await this.store.release(this.holder(invocationId));
    this.#holders.delete(this.holder(invocationId));
  }

  /** Lets go of everything. */
  async close(): Promise<void> {
    for (const holder of this.#holders) await this.store.release(holder);
    this.#holders.clear();
    this.#known.clear();
  }

  #knows(uri: string): boolean {
    return this.#ownsAll || this.#known.has(uri);
  }

  /** The same store, noting what passes through it as this session's. */
  #observe(store: ArtifactStore): ArtifactStore {
    const know = <T extends { readonly retained: boolean }>(
      kept: T & { readonly artifact?: ArtifactInfo },
      holder: string | undefined,
    ): T => {
      if (kept.artifact === undefined) return kept;
      this.#known.add(kept.artifact.uri);
      if (holder !== undefined) this.#holders.add(holder);
      return kept;
    };
    // A store that hangs costs its artifact, not the call.
    const bounded = <T>(work: () => Promise<T>): Promise<T> =>
      within(work, hostCodeLimitMs, neverAborted);
    return {
      put: async (content, options) =>
        know(await bounded(() => store.put(content, options)), options.holder),
      openWriter: async (options) => {
        const writer = await bounded(() => store.openWriter(options));
        return {
          write: (bytes) => bounded(() => writer.write(bytes)),
          finish: async () => know(await bounded(() => writer.finish()), options.holder),
          abort: () => bounded(() => writer.abort()),
        };
      },
      stat: (uri) => store.stat(uri),
      openRead: (uri, range) => store.openRead(uri, range),
      pin: async (uri, holder) => {
        const pinned = await store.pin(uri, holder);
        if (pinned) this.#holders.add(holder);
        return pinned;
      },
      release: (holder) => store.release(holder),
      list: () => store.list(),
    };
  }
}

function notKept(uri: string): ToolError {
  const shape =
    fromArtifactUri(uri) === undefined ? 'is no artifact URI' : 'is not kept in this session';
  return new ToolError(
    'not_found',
    `${JSON.stringify(uri)} ${shape}; use a URI from the result that named it, or repeat that call.`,
    { fields: { path: uri } },
  );
}
