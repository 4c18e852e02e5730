import { toDigest, type Digest } from '../digest/canonical-digest.ts';
import { sha256Hex, utf8Length } from '../digest/sha256.ts';
import type { LossMode, Projection } from '../projection/projection.ts';
import { TRANSFORM_ALGORITHM } from '../projection/transform-binding.ts';

/** The schema id of evidence, as A3S v1 names it. */
export const TOOL_RESULT_EVIDENCE_SCHEMA = 'a3s.code.tool-result-evidence.v1';

/** What was done to an output between the tool and its caller. A closed object, wire-compatible with A3S v1. */
export interface ToolResultEvidence {
  readonly schema: typeof TOOL_RESULT_EVIDENCE_SCHEMA;
  /** Length of the original in UTF-8 bytes. */
  readonly original_bytes: number;
  /** Length of what the caller receives in UTF-8 bytes, markers included. */
  readonly projected_bytes: number;
  /** `ceil(original_bytes / 4)`. */
  readonly original_estimated_tokens: number;
  /** `ceil(projected_bytes / 4)`. */
  readonly projected_estimated_tokens: number;
  readonly token_estimator: typeof TOKEN_ESTIMATOR;
  readonly transform_algorithm: typeof TRANSFORM_ALGORITHM;
  /** SHA-256 of the original, after secrets were hidden. */
  readonly content_digest: Digest;
  /** SHA-256 of exactly what the caller receives. */
  readonly projected_digest: Digest;
  /** Equal to `content_digest` in v1. */
  readonly repeat_key: Digest;
  /** The URI of the kept original, or `inline:` and its digest. */
  readonly content_ref: string;
  readonly loss_mode: LossMode;
  /** Projected minus original. */
  readonly byte_delta: number;
  /** Projected minus original. */
  readonly estimated_token_delta: number;
}

/** The parts of a projection that evidence tells about. */
export type EvidenceSubject = Pick<
  Projection,
  'output' | 'originalBytes' | 'contentDigest' | 'lossMode' | 'retention'
>;

/** Measures and hashes exactly `output`: make it last, when nothing changes the output any more. */
export function createToolResultEvidence(subject: EvidenceSubject): ToolResultEvidence {
  const { originalBytes, contentDigest, lossMode, output, retention } = subject;
  // Without loss the output is the original, so its length and digest are known.
  const isOriginal = lossMode === 'none';
  const projectedBytes = isOriginal ? originalBytes : utf8Length(output);
  const originalTokens = estimateTokens(originalBytes);
  const projectedTokens = estimateTokens(projectedBytes);
  return {
    schema: TOOL_RESULT_EVIDENCE_SCHEMA,
    original_bytes: originalBytes,
    projected_bytes: projectedBytes,
    original_estimated_tokens: originalTokens,
    projected_estimated_tokens: projectedTokens,
    token_estimator: TOKEN_ESTIMATOR,
    transform_algorithm: TRANSFORM_ALGORITHM,
    content_digest: contentDigest,
    projected_digest: isOriginal ? contentDigest : toDigest(sha256Hex(output)),
    repeat_key: contentDigest,
    content_ref: retention?.retained === true ? retention.artifact.uri : `inline:${contentDigest}`,
    loss_mode: lossMode,
    byte_delta: projectedBytes - originalBytes,
    estimated_token_delta: projectedTokens - originalTokens,
  };
}

const TOKEN_ESTIMATOR = 'utf8-bytes-ceil-div-4/v1';

function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / 4);
}
