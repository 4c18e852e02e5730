import { createSha256, sha256Hex } from '../digest/sha256.ts';
import {
  DEFAULT_MAX_ARTIFACT_BYTES,
  DEFAULT_MAX_ARTIFACTS,
  TEXT_MEDIA_TYPE,
  type ArtifactInfo,
  type ArtifactRange,
  type ArtifactRead,
  type ArtifactRetention,
  type ArtifactStore,
  type ArtifactWriteOptions,
  type ArtifactWriter,
} from './artifact-store.ts';
import { toArtifactId, toArtifactUri } from './artifact-uri.ts';
import { concatenateBytes } from './concatenate-bytes.ts';

/** The quota of a memory store. */
export interface MemoryArtifactStoreOptions {
  /** Default 256. */
  readonly maxArtifacts?: number;
  /** Bytes of content over all artifacts; default 16 MiB. Each open writer may hold up to as much again. */
  readonly maxBytes?: number;
}

/* Bytes are copied by `new Uint8Array(bytes)`: `slice` of a Node Buffer would share its memory. */

/** Creates a store that lives as long as the process holds it: the default of a session. */
export function memoryArtifactStore(options: MemoryArtifactStoreOptions = {}): ArtifactStore {
  const shelf = new Shelf(
    options.maxArtifacts ?? DEFAULT_MAX_ARTIFACTS,
    options.maxBytes ?? DEFAULT_MAX_ARTIFACT_BYTES,
  );
  return {
    put: async (content, write) => {
      if (shelf.isTooLarge(content.length)) return TOO_LARGE;
      return shelf.keep(new Uint8Array(content), describe(write, content));
    },
    openWriter: async (write) => openMemoryWriter(shelf, write),
    stat: async (uri) => shelf.entries.get(uri)?.info,
    openRead: async (uri, range) => openMemoryRead(shelf.entries.get(uri), range),
    pin: async (uri, holder) => shelf.pin(uri, holder),
    release: async (holder) => shelf.release(holder),
    list: async () => Array.from(shelf.entries.values(), ({ info }) => info),
  };
}

const TOO_LARGE: ArtifactRetention = { retained: false, reason: 'too_large' };

interface Entry {
  readonly info: ArtifactInfo;
  readonly content: Uint8Array;
  readonly holders: Set<string>;
}

interface Description {
  readonly info: ArtifactInfo;
  readonly holder: string | undefined;
}

/** The entries, oldest first, and the one place that counts and evicts. */
class Shelf {
  readonly entries = new Map<string, Entry>();
  readonly #maxArtifacts: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxArtifacts: number, maxBytes: number) {
    this.#maxArtifacts = maxArtifacts;
    this.#maxBytes = maxBytes;
  }

  /** Whether a content could not be kept even by an empty store. */
  isTooLarge(bytes: number): boolean {
    return bytes > this.#maxBytes || this.#maxArtifacts < 1;
  }

  keep(content: Uint8Array, { info, holder }: Description): ArtifactRetention {
    const existing = this.entries.get(info.uri);
    if (existing !== undefined) {
      if (!haveSameBytes(existing.content, content)) return { retained: false, reason: 'conflict' };
      this.entries.delete(info.uri);
      this.entries.set(info.uri, existing);
      if (holder !== undefined) existing.holders.add(holder);
      return { retained: true, artifact: existing.info, created: false };
    }
    if (this.isTooLarge(content.length)) return TOO_LARGE;
    if (!this.#fitsBesidePinned(content.length)) return { retained: false, reason: 'quota' };
    this.#makeRoom(content.length);
    this.#bytes += content.length;
    const holders = new Set(holder === undefined ? [] : [holder]);
    this.entries.set(info.uri, { info, content, holders });
    return { retained: true, artifact: info, created: true };
  }

  pin(uri: string, holder: string): boolean {
    const entry = this.entries.get(uri);
    entry?.holders.add(holder);
    return entry !== undefined;
  }

  release(holder: string): void {
    for (const { holders } of this.entries.values()) holders.delete(holder);
  }

  /** Judged before anything is evicted: a content that cannot fit must not cost others their place. */
  #fitsBesidePinned(bytes: number): boolean {
    let pinned = 0;
    let pinnedBytes = 0;
    for (const { holders, content } of this.entries.values()) {
      if (holders.size === 0) continue;
      pinned += 1;
      pinnedBytes += content.length;
    }
    return pinned < this.#maxArtifacts && pinnedBytes + bytes <= this.#maxBytes;
  }

  #makeRoom(bytes: number): void {
    for (const [uri, { holders, content }] of this.entries) {
      if (this.entries.size < this.#maxArtifacts && this.#bytes + bytes <= this.#maxBytes) return;
      if (holders.size > 0) continue;
      this.entries.delete(uri);
      this.#bytes -= content.length;
    }
  }
}

function openMemoryWriter(shelf: Shelf, options: ArtifactWriteOptions): ArtifactWriter {
  const hasher = options.sha256 === undefined ? createSha256() : undefined;
  let chunks: Uint8Array[] = [];
  let length = 0;
  let isOpen = true;
  return {
    async write(bytes) {
      if (!isOpen) throw new TypeError('This artifact writer is finished');
      length += bytes.length;
      if (shelf.isTooLarge(length)) {
        chunks = [];
      } else {
        hasher?.update(bytes);
        chunks.push(new Uint8Array(bytes));
      }
    },
    async finish() {
      if (!isOpen) throw new TypeError('This artifact writer is finished');
      isOpen = false;
      if (shelf.isTooLarge(length)) return TOO_LARGE;
      const content = concatenateBytes(chunks);
      chunks = [];
      return shelf.keep(
        content,
        describe({ ...options, ...(hasher && { sha256: () => hasher.digestHex() }) }, content),
      );
    },
    async abort() {
      isOpen = false;
      chunks = [];
    },
  };
}

function openMemoryRead(
  entry: Entry | undefined,
  range: ArtifactRange = {},
): ArtifactRead | undefined {
  if (entry === undefined) return undefined;
  const { content, info } = entry;
  const start = Math.min(range.offset ?? 0, content.length);
  const end = Math.min(start + (range.length ?? content.length), content.length);
  return { artifact: info, chunks: inChunks(content, start, end) };
}

const READ_CHUNK_BYTES = 64 * 1024;

/** Copies, so that a reader cannot change what is kept. */
async function* inChunks(content: Uint8Array, start: number, end: number) {
  for (let from = start; from < end; from += READ_CHUNK_BYTES) {
    yield new Uint8Array(content.subarray(from, Math.min(from + READ_CHUNK_BYTES, end)));
  }
}

function describe(options: ArtifactWriteOptions, content: Uint8Array): Description {
  const sha256 = options.sha256?.() ?? sha256Hex(content);
  const info: ArtifactInfo = Object.freeze({
    uri: toArtifactUri(options.tool, sha256),
    id: toArtifactId(options.tool, sha256),
    tool: options.tool,
    sha256,
    bytes: content.length,
    mediaType: options.mediaType ?? TEXT_MEDIA_TYPE,
  });
  return { info, holder: options.holder };
}

function haveSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) {
    if (one[index] !== other[index]) return false;
  }
  return true;
}
