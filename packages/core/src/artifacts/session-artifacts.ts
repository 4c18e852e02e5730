import { sha256Hex } from '../digest/sha256.ts';
import { ToolError } from '../errors/tool-error.ts';
import type { JsonObject } from '../json/json.ts';
import { hostCodeLimitMs, within } from '../kernel/within.ts';
import type { SanitiserStream } from '../sanitise/sanitiser.ts';
import type { ArtifactAccess } from './artifact-access.ts';
import type { ArtifactInfo, ArtifactStore, ArtifactWriter } from './artifact-store.ts';
import { fromArtifactUri } from './artifact-uri.ts';
import { openHidingWriter } from './hiding-artifact-writer.ts';
import { KnownArtifacts } from './known-artifacts.ts';
import { observeStore } from './observe-store.ts';
import { readArtifact } from './read-artifact.ts';

/** Bytes that one `read` of an artifact gives at most. */
const maxReadBytes = 16 * 1024 * 1024;

/** For whom an access is made. */
export interface ArtifactUser {
  /** The tool that writes; becomes part of the URI. */
  readonly tool: string;
  /** Who holds what is written. */
  readonly holder: string;
  /** Throws once nothing may be begun any more. */
  readonly assertAlive: () => void;
  /** Throws once even what was begun may not go on. */
  readonly assertOpen: () => void;
  /** Hides secrets in what is written. */
  readonly byteStream: () => SanitiserStream<Uint8Array>;
}

/**
 * A session's share of an artifact store: what its own calls kept, pinned until the call is released or the
 * session closes. A store may serve many sessions; none can name what another kept. A store that fails, hangs or
 * lies costs its artifacts, never a call.
 */
export class SessionArtifacts {
  readonly store: ArtifactStore;
  readonly #sessionId: string;
  readonly #known = new KnownArtifacts();
  readonly #ownsAll: boolean;

  constructor(store: ArtifactStore, sessionId: string, options: { readonly ownsAll: boolean }) {
    this.#sessionId = sessionId;
    this.#ownsAll = options.ownsAll;
    this.store = observeStore(store, this.#known);
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
    return this.#keep(bytes, {
      tool: invocation.name,
      mediaType,
      holder: this.holder(invocation.id),
    });
  }

  /** Keeps the output of a tool that answered after its call had ended, held by nobody; its URI, where it was kept. */
  async keepLate(tool: string, output: string | Uint8Array): Promise<string | null> {
    const bytes = typeof output === 'string' ? new TextEncoder().encode(output) : output;
    const kept = await this.#keep(bytes, { tool, mediaType: 'text/plain; charset=utf-8' });
    return typeof kept['artifact_uri'] === 'string' ? kept['artifact_uri'] : null;
  }

  /** What a tool or the host may do with the session's artifacts; `abandon` drops what it began to write. */
  access(user: ArtifactUser): {
    readonly access: ArtifactAccess;
    abandon(): Promise<unknown> | undefined;
  } {
    const open = new Set<ArtifactWriter>();
    const find = async (uri: string): Promise<ArtifactInfo> => {
      user.assertAlive();
      const info = this.#knows(uri) ? await this.#ask(() => this.store.stat(uri)) : undefined;
      if (info === undefined) throw notKept(uri);
      return info;
    };
    const access: ArtifactAccess = {
      stat: find,
      read: async (uri, { start, length }) => {
        if (!isCount(start) || !(isCount(length) || length === Infinity)) throw badRange();
        await find(uri);
        const range = { offset: start, length: Math.min(length, maxReadBytes) };
        const slice = await this.#ask(() => readArtifact(this.store, uri, range));
        if (slice === undefined) throw notKept(uri);
        return slice.bytes;
      },
      writer: async ({ mediaType } = {}) => {
        user.assertAlive();
        const { tool, holder } = user;
        const media = mediaType === undefined ? {} : { mediaType };
        const writer = await openHidingWriter(
          this.store,
          { tool, holder, ...media },
          {
            assertOpen: user.assertOpen,
            stream: user.byteStream(),
            onClose: () => void open.delete(writer),
          },
        );
        open.add(writer);
        return writer;
      },
    };
    return {
      access: Object.freeze(access),
      abandon: () =>
        open.size === 0
          ? undefined
          : Promise.allSettled(Array.from(open, (writer) => writer.abort())),
    };
  }

  /** What the session has; what it knows itself where the store does not answer. */
  async list(): Promise<readonly ArtifactInfo[]> {
    try {
      const all = await this.#ask(() => this.store.list());
      return all.filter((info) => this.#knows(info.uri));
    } catch {
      return this.#known.list();
    }
  }

  /** Takes over what a snapshot says the session had. */
  adopt(artifacts: readonly ArtifactInfo[]): void {
    for (const info of artifacts) this.#known.add(info);
  }

  /** Lets go of what a call kept; what the store cannot let go of now is let go of when the session closes. */
  async release(invocationId: string): Promise<void> {
    await this.#release(this.holder(invocationId));
  }

  /** Lets go of everything; from now on, what a slow store still keeps is let go of as it comes. */
  async close(): Promise<void> {
    this.#known.close();
    await Promise.all(this.#known.holders().map((holder) => this.#release(holder)));
  }

  async #release(holder: string): Promise<void> {
    try {
      await this.#ask(() => this.store.release(holder));
    } catch {
      // A store that cannot let go keeps its own pins; the session must end all the same.
    }
  }

  async #keep(
    bytes: Uint8Array,
    options: { readonly tool: string; readonly mediaType: string; readonly holder?: string },
  ): Promise<JsonObject> {
    try {
      const digest = sha256Hex(bytes);
      const kept = await this.store.put(bytes, { ...options, sha256: () => digest });
      return kept.retained
        ? { artifact_uri: kept.artifact.uri }
        : { not_retained: true, reason: kept.reason };
    } catch {
      return { not_retained: true, reason: 'store_failed' };
    }
  }

  #knows(uri: string): boolean {
    return this.#ownsAll || this.#known.has(uri);
  }

  /** What the store answers in time. Errors: `internal` (`store_failed`). */
  async #ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await within(question, hostCodeLimitMs);
    } catch (error) {
      throw new ToolError('internal', 'The artifact store could not answer; try again later.', {
        reason: 'store_failed',
        retryable: true,
        cause: error,
      });
    }
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function badRange(): ToolError {
  return new ToolError(
    'invalid_argument',
    'A range of an artifact begins at a whole number of bytes from 0 up and is as long as another.',
    { reason: 'bad_range' },
  );
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
