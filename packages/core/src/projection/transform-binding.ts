import { canonicalDigest, type Digest } from '../digest/canonical-digest.ts';
import { inDeclaredOrder, type ProjectionPolicy } from './policy.ts';

/** The id of the projection algorithm, as A3S v1 names it. */
export const TRANSFORM_ALGORITHM = 'a3s.code.tool-result-transform.v1';

/** The schema id of a binding, and the domain of its digest. */
export const TRANSFORM_BINDING_SCHEMA = 'a3s.code.tool-result-transform-binding.v1';

/** Which algorithm under which policy made a result: travels beside the evidence. Wire-compatible with A3S v1. */
export interface TransformBinding {
  readonly schema: typeof TRANSFORM_BINDING_SCHEMA;
  readonly transform_algorithm: typeof TRANSFORM_ALGORITHM;
  readonly policy_digest: Digest;
  readonly binding_digest: Digest;
}

/** The digest that identifies a policy. */
export function projectionPolicyDigest(policy: ProjectionPolicy): Digest {
  return canonicalDigest(POLICY_DIGEST_DOMAIN, inDeclaredOrder(policy));
}

/** Binds results to a policy; compute it once a policy, not once a call. */
export function createTransformBinding(policy: ProjectionPolicy): TransformBinding {
  const bound = {
    schema: TRANSFORM_BINDING_SCHEMA,
    transform_algorithm: TRANSFORM_ALGORITHM,
    policy_digest: projectionPolicyDigest(policy),
  } as const;
  return Object.freeze({
    ...bound,
    binding_digest: canonicalDigest(TRANSFORM_BINDING_SCHEMA, bound),
  });
}

/**
 * Tells whether a value is exactly the expected binding: the same closed object with the same digests.
 * A binding that was tampered with, or that belongs to another policy, is none.
 */
export function isTransformBinding(value: unknown, expected: TransformBinding): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const wanted = Object.entries(expected);
  return (
    fields.size === wanted.length && wanted.every(([name, field]) => fields.get(name) === field)
  );
}

const POLICY_DIGEST_DOMAIN = 'a3s.code.tool-result-transform-policy-digest.v1';
