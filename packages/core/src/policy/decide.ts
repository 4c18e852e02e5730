import type { Effect } from '../tool/effects.ts';
import type { CompiledRule } from './compile-rule.ts';
import { compareSpecificity } from './compile-rule.ts';
import { formatRule } from './parse-rule.ts';
import type { EffectDecision, PolicyDecision } from './policy-decision.ts';
import type { Decision, PolicyRule } from './policy-rule.ts';

/** One effect judged, with the sentence that says why. */
export interface JudgedEffect extends EffectDecision {
  readonly reason: string;
}

const STRICTNESS: Readonly<Record<Decision, number>> = { allow: 0, ask: 1, deny: 2 };

/**
 * Judges one effect. Any deny wins; between ask and allow the more specific rule, on a tie ask; without a rule ask.
 * A rule that allows must cover the whole target; one that asks need only touch it; one that denies a part of a tree
 * makes it asked, since the call may or may not come to that part.
 */
export function decideEffect(
  rules: readonly CompiledRule[],
  tool: string,
  effect: Effect,
): JudgedEffect {
  let denied: CompiledRule | undefined;
  let partlyDenied: CompiledRule | undefined;
  let best: CompiledRule | undefined;
  for (const rule of rules) {
    const coverage = rule.match(tool, effect);
    if (coverage === 'none') continue;
    const { decision } = rule.rule;
    if (decision === 'deny') {
      if (coverage === 'perhaps') partlyDenied = moreSpecific(partlyDenied, rule);
      else denied = moreSpecific(denied, rule);
    } else if (decision === 'ask' || coverage === 'all') {
      best = moreSpecific(best, rule);
    }
  }
  if (denied !== undefined) return judged(effect, denied, 'deny');
  if (partlyDenied !== undefined) {
    return {
      ...judged(effect, partlyDenied, 'ask'),
      reason: `${describeEffect(effect)} includes what the rule "${formatRule(partlyDenied.rule)}" denies; name a narrower target`,
    };
  }
  if (best !== undefined) return judged(effect, best, best.rule.decision);
  return {
    effect,
    decision: 'ask',
    reason: `no rule covers ${describeEffect(effect)}, so it is asked`,
  };
}

/** Judges a call that declares no effects: only rules on the tool itself speak of it; without one it is allowed. */
export function decideTool(rules: readonly CompiledRule[], tool: string): PolicyDecision {
  let best: CompiledRule | undefined;
  for (const rule of rules) {
    if (!rule.isToolWide || !rule.matchesTool(tool)) continue;
    if (rule.rule.decision === 'deny') {
      return { decision: 'deny', effects: [], rule: rule.rule, reason: because(rule.rule) };
    }
    best = moreSpecific(best, rule);
  }
  if (best === undefined)
    return { decision: 'allow', effects: [], reason: 'the call touches nothing' };
  return { decision: best.rule.decision, effects: [], rule: best.rule, reason: because(best.rule) };
}

/** The strictest of several effects; the first of equals. */
export function strictest(effects: readonly JudgedEffect[]): PolicyDecision | undefined {
  const [first, ...others] = effects;
  if (first === undefined) return undefined;
  const deciding = others.reduce(
    (strict, next) => (STRICTNESS[next.decision] > STRICTNESS[strict.decision] ? next : strict),
    first,
  );
  return {
    decision: deciding.decision,
    effects: effects.map(({ effect, decision, rule }) => ({
      effect,
      decision,
      ...(rule === undefined ? {} : { rule }),
    })),
    ...(deciding.rule === undefined ? {} : { rule: deciding.rule }),
    reason: deciding.reason,
  };
}

/** An effect in words of a rule: `write src/a.ts`, `net POST api.example.com:443`. */
export function describeEffect({ kind, target, method }: Effect): string {
  return `${kind} ${method === undefined ? '' : `${method} `}${target.length > 200 ? `${target.slice(0, 200)}…` : target}`;
}

function judged(effect: Effect, { rule }: CompiledRule, decision: Decision): JudgedEffect {
  return { effect, decision, rule, reason: because(rule) };
}

function because(rule: PolicyRule): string {
  return `the rule "${formatRule(rule)}" decides${rule.reason === undefined ? '' : `: ${rule.reason}`}`;
}

/** Of equally specific rules the one that asks; of equals the first. */
function moreSpecific(current: CompiledRule | undefined, next: CompiledRule): CompiledRule {
  if (current === undefined) return next;
  const order = compareSpecificity(next, current);
  if (order !== 0) return order > 0 ? next : current;
  return current.rule.decision === 'allow' && next.rule.decision === 'ask' ? next : current;
}
