/** Facts about a kept output. */
export interface ArtifactInfo {
  /** `a3s://tool-output/<tool>/<sha256>`. */
  readonly uri: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
  readonly mediaType: string;
}

/** Why bytes were not kept. */
export interface NotRetained {
  readonly notRetained: true;
  /** `quota`, `too_large` or `store_failed`. */
  readonly reason: string;
}

/** Streams bytes into the session's artifacts; hashed while they are written. */
export interface ArtifactWriter {
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the stream; the content's URI, or why it was not kept. */
  finish(): Promise<ArtifactInfo | NotRetained>;
  /** Drops what was written; idempotent, and without effect after `finish`. */
  abort(): Promise<void>;
}

/** The artifacts of one session, for its tools: nothing of another session can be named. */
export interface ArtifactAccess {
  /** Errors: `not_found` for a URI that this session did not keep. */
  stat(uri: string): Promise<ArtifactInfo>;
  /** Bytes from `start`, at most `length`, short only at the end. */
  read(
    uri: string,
    range: { readonly start: number; readonly length: number },
  ): Promise<Uint8Array>;
  writer(options?: { readonly mediaType?: string }): ArtifactWriter;
}

/** Whether a path names an artifact instead of a file. */
export function isArtifactUri(path: string): boolean {
  return path.startsWith('a3s://tool-output/');
}
