import type { ArtifactRetention } from './artifact-store.ts';

/** What a kept content must turn out to be. */
export interface ExpectedContent {
  readonly sha256: string;
  readonly bytes: number;
}

const STORE_FAILED: ArtifactRetention = { retained: false, reason: 'store_failed' };

/** A URI goes into the output for the model, so it must be one line of visible characters. */
const VISIBLE_URI = /^[^\s\p{C}]{1,4096}$/u;

/** What a store says of a content, or `store_failed` where that cannot be true of the content. */
export function judgeRetention(
  retention: ArtifactRetention,
  expected: ExpectedContent,
): ArtifactRetention {
  if (!retention.retained) return retention;
  const { uri, sha256, bytes } = retention.artifact;
  const isTrue = VISIBLE_URI.test(uri) && sha256 === expected.sha256 && bytes === expected.bytes;
  return isTrue ? retention : STORE_FAILED;
}
