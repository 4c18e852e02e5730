import type { ArtifactInfo, NotRetained } from './artifact-access.ts';

/** Where a session keeps originals; content-addressed, with a quota. */
export interface ArtifactStore {
  put(tool: string, bytes: Uint8Array): Promise<ArtifactInfo | NotRetained>;
}
