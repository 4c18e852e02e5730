import type { Effect, EffectKind } from '../tool/effects.ts';
import type { CompiledRule } from './compile-rule.ts';
import { compareSpecificity } from './compile-rule.ts';
import { formatRule } from './parse-rule.ts';
import type { EffectDecision, PolicyDecision } from './policy-decision.ts';
import type { Decision } from './policy-rule.ts';

/** The rules of a session. Most of a preset speak of commands alone: each effect is judged by those that speak of its kind. */
export class RuleBook {
  readonly all: readonly CompiledRule[];
  readonly #byKind = new Map<EffectKind, readonly CompiledRule[]>();

  constructor(rules: readonly CompiledRule[]) {
    this.all = rules;
  }

  about(kind: EffectKind): readonly CompiledRule[] {
    let rules = this.#byKind.get(kind);
    if (rules === undefined) {
      rules = this.all.filter(({ rule }) => rule.effect === undefined || rule.effect === kind);
      this.#byKind.set(kind, rules);
    }
    return rules;
  }
}

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
export function decideEffect(rules: RuleBook, tool: string, effect: Effect): JudgedEffect {
  let denied: CompiledRule | undefined;
  let partlyDenied: CompiledRule | undefined;
  let best: CompiledRule | undefined;
  for (const rule of rules.about(effect.kind)) {
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
export function decideTool(rules: RuleBook, tool: string): PolicyDecision {
  let best: CompiledRule | undefined;
  for (const rule of rules.all) {
    if (!rule.isToolWide || !rule.matchesTool(tool)) continue;
    if (rule.rule.decision === 'deny') {
      return { decision: 'deny', effects: [], rule: rule.rule, reason: rule.because };
    }
    best = moreSpecific(best, rule);
  }
  if (best === undefined)
    return { decision: 'allow', effects: [], reason: 'the call touches nothing' };
  return { decision: best.rule.decision, effects: [], rule: best.rule, reason: best.because };
}

/** The strictest of several effects; the first of equals. */
export function strictest(effects: readonly JudgedEffect[]): PolicyDecision | undefined {
  let [deciding] = effects;
  if (deciding === undefined) return undefined;
  for (const next of effects) {
    if (STRICTNESS[next.decision] > STRICTNESS[deciding.decision]) deciding = next;
  }
  const { decision, rule, reason } = deciding;
  const judgments = effects.map(withoutReason);
  return rule === undefined
    ? { decision, effects: judgments, reason }
    : { decision, effects: judgments, rule, reason };
}

function withoutReason({ effect, decision, rule }: JudgedEffect): EffectDecision {
  return rule === undefined ? { effect, decision } : { effect, decision, rule };
}

/** An effect in words of a rule: `write src/a.ts`, `net POST api.example.com:443`. */
export function describeEffect({ kind, target, method }: Effect): string {
  return `${kind} ${method === undefined ? '' : `${method} `}${target.length > 200 ? `${target.slice(0, 200)}…` : target}`;
}

function judged(effect: Effect, { rule, because }: CompiledRule, decision: Decision): JudgedEffect {
  return { effect, decision, rule, reason: because };
}

/** Of equally specific rules the one that asks; of equals the first. */
function moreSpecific(current: CompiledRule | undefined, next: CompiledRule): CompiledRule {
  if (current === undefined) return next;
  const order = compareSpecificity(next, current);
  if (order !== 0) return order > 0 ? next : current;
  return current.rule.decision === 'allow' && next.rule.decision === 'ask' ? next : current;
}
