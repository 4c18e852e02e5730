import type { ArtifactInfo, ArtifactRange, ArtifactStore } from './artifact-store.ts';

/** A range of an artifact in memory. */
export interface ArtifactSlice {
  readonly artifact: ArtifactInfo;
  readonly bytes: Uint8Array;
}

/** Reads a range of an artifact into memory; `undefined` if nothing is kept under the URI. Bound it by `range.length`. */
export async function readArtifact(
  store: Pick<ArtifactStore, 'openRead'>,
  uri: string,
  range?: ArtifactRange,
): Promise<ArtifactSlice | undefined> {
  const opened = await store.openRead(uri, range);
  if (opened === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of opened.chunks) {
    chunks.push(chunk);
    length += chunk.length;
  }
  const bytes = new Uint8Array(length);
  let position = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, position);
    position += chunk.length;
  }
  return { artifact: opened.artifact, bytes };
}
