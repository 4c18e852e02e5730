import { type Digest, toDigest } from '../digest/canonical-digest.ts';
import { sha256Hex } from '../digest/sha256.ts';
import { canonicalJson } from '../json/canonical-json.ts';
import { nearestName } from '../validation/nearest-name.ts';
import type { PathFolding } from '../workspace/workspace.ts';
import { compileRule } from './compile-rule.ts';
import { parseRule } from './parse-rule.ts';
import { PolicyError } from './policy-error.ts';
import type { Decision, PolicyInput, PolicyPreset, PolicyRule } from './policy-rule.ts';
import { describePreset, policyPresets } from './presets.ts';

/** A policy that has been checked: plain data, the same for every session of a host. */
export interface LoadedPolicy {
  readonly preset: PolicyPreset;
  /** The preset's rules, then the host's: order means nothing to decisions. */
  readonly rules: readonly PolicyRule[];
  /** `sha256:<hex>` of the canonical JSON of preset and rules. */
  readonly digest: Digest;
}

/** How names compare where no workspace says otherwise. */
export const exactFolding: PathFolding = { caseInsensitive: false, unicodeInsensitive: false };

const SHORT_FORMS = ['deny', 'ask', 'allow'] as const satisfies readonly Decision[];
const FIELDS = ['preset', 'rules', ...SHORT_FORMS];

/**
 * Checks a policy and runs the examples of its rules.
 *
 * @throws PolicyError (a `TypeError`) that names the rule, and the example where one disagrees.
 */
export function loadPolicy(input: PolicyInput): LoadedPolicy {
  assertInput(input);
  const { preset = 'guarded' } = input;
  const rules = [
    ...describePreset(preset),
    ...(input.rules ?? []),
    ...SHORT_FORMS.flatMap((decision) =>
      (input[decision] ?? []).map((short) => parseRule(short, decision)),
    ),
  ];
  for (const rule of rules) compileRule(rule, exactFolding);
  const data = rules.map((rule) => Object.freeze(structuredClone(rule)));
  const digest = toDigest(
    sha256Hex(canonicalJson({ preset, rules: data.map((rule) => ({ ...rule })) })),
  );
  return Object.freeze({ preset, rules: Object.freeze(data), digest });
}

/** Policies also come from configuration files, where any value can stand. */
function assertInput(input: PolicyInput): void {
  const unknown = Object.keys(input).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) {
    const nearest = nearestName(unknown, FIELDS);
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    throw new PolicyError(
      `A policy has no field ${JSON.stringify(unknown)}${hint} (${FIELDS.join(', ')})`,
    );
  }
  if (input.preset !== undefined && !policyPresets.includes(input.preset)) {
    throw new PolicyError(
      `No preset is called ${JSON.stringify(input.preset)} (${policyPresets.join(', ')})`,
    );
  }
  if (input.rules !== undefined && !Array.isArray(input.rules))
    throw new PolicyError('The rules of a policy are a list');
  for (const field of SHORT_FORMS) {
    const value: unknown = input[field];
    const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
    if (value !== undefined && !isList)
      throw new PolicyError(`${field} of a policy is a list of texts`);
  }
}
