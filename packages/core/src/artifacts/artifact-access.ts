import type { ArtifactInfo, ArtifactWriter } from './artifact-store.ts';

/** The artifacts of one session, for its tools: nothing of another session can be named. */
export interface ArtifactAccess {
  /** Errors: `not_found` for a URI that this session did not keep. */
  stat(uri: string): Promise<ArtifactInfo>;
  /** Bytes from `start`, at most `length`, short only at the end. Errors: as `stat`, `invalid_argument` (`bad_range`). */
  read(
    uri: string,
    range: { readonly start: number; readonly length: number },
  ): Promise<Uint8Array>;
  /** Streams bytes into the session's artifacts under the running tool's name. */
  writer(options?: { readonly mediaType?: string }): Promise<ArtifactWriter>;
}

/** Whether a path names an artifact instead of a file. */
export function isArtifactUri(path: string): boolean {
  return path.startsWith('a3s://tool-output/');
}
