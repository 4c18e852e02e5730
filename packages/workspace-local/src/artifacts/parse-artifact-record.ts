import type { ArtifactInfo } from '@toolwright/core';

/** What a record file says of its artifact; undefined for a text that is no record. */
export function parseArtifactRecord(text: string): ArtifactInfo | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isRecord(value) ? value : undefined;
}

function isRecord(value: unknown): value is ArtifactInfo {
  if (typeof value !== 'object' || value === null) return false;
  // Any field may be anything.
  const { uri, id, tool, sha256, bytes, mediaType } = value as Partial<Record<string, unknown>>;
  return (
    [uri, id, tool, mediaType].every((field) => typeof field === 'string') &&
    typeof sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    Number.isSafeInteger(bytes)
  );
}
