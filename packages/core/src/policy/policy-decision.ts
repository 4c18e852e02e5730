import type { Effect } from '../tool/effects.ts';
import type { Decision, PolicyRule } from './policy-rule.ts';

/** What policy says of one effect, and the rule that said it; no rule means the default. */
export interface EffectDecision {
  readonly effect: Effect;
  readonly decision: Decision;
  readonly rule?: PolicyRule;
}

/** What policy says of a call. */
export interface PolicyDecision {
  /** The strictest over all effects. */
  readonly decision: Decision;
  readonly effects: readonly EffectDecision[];
  /** The rule that decided. */
  readonly rule?: PolicyRule;
  /** One sentence: why. */
  readonly reason: string;
}
