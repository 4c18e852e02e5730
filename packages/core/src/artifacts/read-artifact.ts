import type { ArtifactInfo, ArtifactRange, ArtifactStore } from './artifact-store.ts';
import { concatenateBytes } from './concatenate-bytes.ts';

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
  let room = range?.length ?? Number.POSITIVE_INFINITY;
  for await (const chunk of opened.chunks) {
    // A store may give more than it was asked for.
    const part = chunk.subarray(0, Math.min(chunk.length, room));
    chunks.push(part);
    room -= part.length;
    if (room <= 0) break;
  }
  return { artifact: opened.artifact, bytes: concatenateBytes(chunks) };
}
