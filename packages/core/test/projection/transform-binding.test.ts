import { describe, expect, it } from 'vitest';
import {
  conservativeProjection,
  contextEfficientProjection,
  type ProjectionPolicy,
} from '../../src/projection/policy.ts';
import {
  createTransformBinding,
  isTransformBinding,
  projectionPolicyDigest,
} from '../../src/projection/transform-binding.ts';

describe('the binding of a policy', () => {
  it.each<[string, ProjectionPolicy, string, string]>([
    [
      'context-efficient',
      contextEfficientProjection,
      'sha256:645f65e5d39e3f7aa77fade21ae2daa1e8ccbbc7a0775c94a7f2c38ec5f5b32d',
      'sha256:906e9931692fa7860b7acb5fc0bb5c329f19aeb04976c913750893ad99cd5a27',
    ],
    [
      'conservative',
      conservativeProjection,
      'sha256:97c77cb8bad0bdc7e52ec3a127f5c0b32484a5cc6fb58a59d78b681bec4972dc',
      'sha256:6a1912bff885439a928521e8ef26063c0d86826f9b9f107c9520d75ee97b8d86',
    ],
  ])(
    'has the digests of A3S v1 for the %s preset',
    (...[, policy, policyDigest, bindingDigest]) => {
      expect(createTransformBinding(policy)).toEqual({
        schema: 'a3s.code.tool-result-transform-binding.v1',
        transform_algorithm: 'a3s.code.tool-result-transform.v1',
        policy_digest: policyDigest,
        binding_digest: bindingDigest,
      });
    },
  );

  it('does not depend on the order in which the policy was written', () => {
    const { schema, ...others } = contextEfficientProjection;
    const reordered = { ...others, schema };
    expect(projectionPolicyDigest(reordered)).toBe(
      projectionPolicyDigest(contextEfficientProjection),
    );
  });

  it('is recognised, and nothing else is', () => {
    const binding = createTransformBinding(contextEfficientProjection);
    const other = createTransformBinding(conservativeProjection);
    expect(isTransformBinding(structuredClone(binding), binding)).toBe(true);
    const wrong: unknown[] = [
      other,
      { ...binding, policy_digest: other.policy_digest },
      { ...binding, binding_digest: binding.binding_digest.toUpperCase() },
      { ...binding, extra: 1 },
      { schema: binding.schema },
      null,
      undefined,
      JSON.stringify(binding),
    ];
    expect(wrong.map((value) => isTransformBinding(value, binding))).toEqual(
      wrong.map(() => false),
    );
  });
});
