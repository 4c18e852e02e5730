import type { Projection } from '../projection/projection.ts';
import type { TransformBinding } from '../projection/transform-binding.ts';
import { isRecord, setOwn } from '../json/json.ts';
import { createToolResultEvidence } from './tool-result-evidence.ts';

/** Where evidence stands in the metadata of a result. */
export const EVIDENCE_KEY = 'a3s_tool_result_evidence';

/** Where the binding stands in the metadata of a result. */
export const TRANSFORM_BINDING_KEY = 'a3s_tool_result_transform_binding';

/** Where metadata tells about the kept original. */
export const ARTIFACT_KEY = 'artifact';

/** What metadata says about the original of an output that was cut: where it is, or that and why it is nowhere. */
export type ArtifactMetadata =
  | {
      readonly artifact_id: string;
      readonly artifact_uri: string;
      readonly original_bytes: number;
      /** How many bytes of the original stand in the output. */
      readonly shown_bytes: number;
    }
  | { readonly not_retained: true; readonly reason: string };

/** Tells what became of the original; `undefined` where nothing was lost. */
function describeArtifact(projection: Projection): ArtifactMetadata | undefined {
  const { retention, originalBytes, shownBytes } = projection;
  if (retention === undefined) return undefined;
  if (!retention.retained) return { not_retained: true, reason: retention.reason };
  return {
    artifact_id: retention.artifact.id,
    artifact_uri: retention.artifact.uri,
    original_bytes: originalBytes,
    shown_bytes: shownBytes,
  };
}

/**
 * Completes the metadata of a tool with artifact, evidence and binding; a tool cannot set these keys itself.
 * Metadata that is no object is kept under `previous_metadata`, as A3S does.
 */
export function withEvidence(
  metadata: unknown,
  projection: Projection,
  binding: TransformBinding,
): Readonly<Record<string, unknown>> {
  const artifact = describeArtifact(projection);
  const whole: Record<string, unknown> = {};
  // Not by a spread: V8 takes microseconds for each key that is added to a spread object.
  for (const [key, value] of Object.entries(toMetadataRecord(metadata))) {
    if (key !== ARTIFACT_KEY) setOwn(whole, key, value);
  }
  if (artifact !== undefined) whole[ARTIFACT_KEY] = Object.freeze(artifact);
  whole[EVIDENCE_KEY] = Object.freeze(createToolResultEvidence(projection));
  whole[TRANSFORM_BINDING_KEY] = binding;
  // Hooks and listeners are handed this very object.
  return Object.freeze(whole);
}

/** What a tool gave as metadata, as an object: anything else stands under `previous_metadata`, as A3S does. */
export function toMetadataRecord(metadata: unknown): Readonly<Record<string, unknown>> {
  if (metadata === undefined || metadata === null) return {};
  if (isRecord(metadata) && !Array.isArray(metadata)) return metadata;
  return { previous_metadata: metadata };
}
