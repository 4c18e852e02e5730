import type { ArtifactRetention } from '../artifacts/artifact-store.ts';
import type { Digest } from '../digest/canonical-digest.ts';

/**
 * What was lost. `none`: nothing. `bounded_preview`: the beginning is kept. `head_tail`: beginning and end are kept.
 * `deterministic_transform`: lines folded, items sampled or ill-formed UTF-8 replaced. `composite`: that, and cut.
 */
export type LossMode =
  | 'none'
  | 'bounded_preview'
  | 'head_tail'
  | 'deterministic_transform'
  | 'composite';

/** An output within its bound, and what its evidence needs. */
export interface Projection {
  /** Well-formed text of at most `max_output_bytes` UTF-8 bytes. */
  readonly output: string;
  readonly lossMode: LossMode;
  /** Length of the original in bytes. */
  readonly originalBytes: number;
  /** SHA-256 of the original's bytes. */
  readonly contentDigest: Digest;
  /** How many bytes of the original stand in the output. */
  readonly shownBytes: number;
  /** What became of the original; absent where nothing was lost. */
  readonly retention?: ArtifactRetention;
}
