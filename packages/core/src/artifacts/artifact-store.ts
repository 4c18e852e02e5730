/** One kept content. Plain data. */
export interface ArtifactInfo {
  /** Where it can be read; another store may use a URI of its own. */
  readonly uri: string;
  readonly id: string;
  /** The tool whose output it is. */
  readonly tool: string;
  /** Bare hex of the SHA-256 of the content. */
  readonly sha256: string;
  readonly bytes: number;
  /** Such as `text/plain; charset=utf-8`. */
  readonly mediaType: string;
}

/**
 * Why a content could not be kept. `too_large`: more than the whole store may hold. `quota`: what is pinned leaves no
 * room. `conflict`: other content stands under the same URI. `store_failed`: the store broke or was closed.
 * `no_store`: there is none.
 */
export type NotRetainedReason = 'too_large' | 'quota' | 'conflict' | 'store_failed' | 'no_store';

/** What became of a content that was handed to a store. Refusals are results: a finished call must not fail on them. */
export type ArtifactRetention =
  | { readonly retained: true; readonly artifact: ArtifactInfo; readonly created: boolean }
  | { readonly retained: false; readonly reason: NotRetainedReason };

/** What a store is told about a content, whether it comes at once or bit by bit. */
export interface ArtifactWriteOptions {
  /** The tool whose output it is; becomes part of the URI. */
  readonly tool: string;
  /** Default `text/plain; charset=utf-8`. */
  readonly mediaType?: string;
  /** Pins the artifact for this holder in the same step, so that it cannot be evicted in between. */
  readonly holder?: string;
  /**
   * A digest that the caller computes over the same bytes anyway; asked for once, when all bytes are there.
   * Absent, the store hashes. Only the kernel passes it: a store trusts it.
   */
  readonly sha256?: () => string;
}

/** Part of a content. */
export interface ArtifactRange {
  /** First byte, from 0; default 0. */
  readonly offset?: number;
  /** At most this many bytes; default all that follow. */
  readonly length?: number;
}

/** An opened range. A range past the end has no chunks: compare with `artifact.bytes`. */
export interface ArtifactRead {
  readonly artifact: ArtifactInfo;
  /** The bytes of the range in order; may be iterated once. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Takes one content bit by bit and names it at the end. */
export interface ArtifactWriter {
  /** Takes the next bytes; they may be reused once the promise is settled. After a refusal it takes them and keeps nothing. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the content: only now its URI is known. */
  finish(): Promise<ArtifactRetention>;
  /** Drops what was written; does nothing after `finish`. */
  abort(): Promise<void>;
}

/**
 * Keeps originals of outputs that were cut, named by their content. Everything is asynchronous, so that a directory or
 * an object store can stand behind it. A store keeps within its quota by dropping the oldest content that nobody holds;
 * it never drops pinned content, and refuses what cannot fit.
 */
export interface ArtifactStore {
  /** Keeps one content. Keeping the same again is no error and makes it the newest. */
  put(content: Uint8Array, options: ArtifactWriteOptions): Promise<ArtifactRetention>;
  /** Opens a writer for content whose length is not known yet. */
  openWriter(options: ArtifactWriteOptions): Promise<ArtifactWriter>;
  /** What is kept under a URI; `undefined` if nothing is. */
  stat(uri: string): Promise<ArtifactInfo | undefined>;
  /** Opens a range for reading; `undefined` if nothing is kept under the URI. */
  openRead(uri: string, range?: ArtifactRange): Promise<ArtifactRead | undefined>;
  /** Holds an artifact for `holder` until that holder releases; false if nothing is kept under the URI. */
  pin(uri: string, holder: string): Promise<boolean>;
  /** Ends all pins of a holder; content that nobody else holds may then be evicted. */
  release(holder: string): Promise<void>;
  /** All that is kept, oldest first. */
  list(): Promise<readonly ArtifactInfo[]>;
}

/** The media type of content that is text. */
export const TEXT_MEDIA_TYPE = 'text/plain; charset=utf-8';

/** How many artifacts a store keeps unless told otherwise. */
export const DEFAULT_MAX_ARTIFACTS = 256;

/** How many bytes of content a store keeps unless told otherwise: 16 MiB. */
export const DEFAULT_MAX_ARTIFACT_BYTES = 16 * 1024 * 1024;
