import { effectKinds, isEffectKind, type Effect } from '../tool/effects.ts';
import type { PathFolding } from '../workspace/workspace.ts';
import { globPrecision, matchGlob, parseGlob } from './match-glob.ts';
import type { Coverage, TargetMatcher } from './match-target.ts';
import { targetMatcher } from './match-target.ts';
import { formatRule, parseExample } from './parse-rule.ts';
import { PolicyError } from './policy-error.ts';
import type { PolicyRule } from './policy-rule.ts';

/** A rule ready to judge. */
export interface CompiledRule {
  readonly rule: PolicyRule;
  /** Whether the rule speaks of a whole tool, whatever a call of it touches. */
  readonly isToolWide: boolean;
  matchesTool(tool: string): boolean;
  /** How the rule stands to one effect of a call. */
  match(tool: string, effect: Effect): Coverage;
  /** Target, tool, effect: compared in this order, the greater is the more specific. */
  readonly specificity: readonly [number, number, number];
  /** Why a decision of this rule was made, in a sentence for people. */
  readonly because: string;
}

const DECISIONS: readonly string[] = ['deny', 'ask', 'allow'];
const FIELDS = ['decision', 'tool', 'effect', 'target', 'reason', 'examples', 'counterexamples'];

/**
 * Compiles a rule and runs its examples.
 *
 * @throws PolicyError for a field that is wrong, and for an example that the rule does not match or a counterexample
 *   that it does.
 */
export function compileRule(rule: PolicyRule, folding: PathFolding): CompiledRule {
  assertRule(rule);
  const target = compileTarget(rule, rule.decision === 'allow' ? folding : anyCase(folding));
  const toolTokens = rule.tool === undefined ? undefined : parseGlob(rule.tool);
  const matchesTool = (tool: string): boolean =>
    rule.tool === undefined || (toolTokens !== undefined && matchGlob(toolTokens, tool));
  const matchEffect = (effect: Effect): Coverage => {
    if (rule.effect !== undefined && rule.effect !== effect.kind) return 'none';
    return target === undefined ? 'all' : target.match(effect);
  };
  const compiled: CompiledRule = {
    rule,
    isToolWide: rule.effect === undefined,
    matchesTool,
    match: (tool, effect) => (matchesTool(tool) ? matchEffect(effect) : 'none'),
    specificity: [
      target?.precision ?? 0,
      toolTokens === undefined ? 0 : globPrecision(toolTokens),
      rule.effect === undefined ? 0 : 1,
    ],
    because: `the rule "${formatRule(rule)}" decides${rule.reason === undefined ? '' : `: ${rule.reason}`}`,
  };
  const matches = (example: string): boolean => {
    const parsed = parseExample(example);
    if (typeof parsed === 'string') return rule.tool !== undefined && matchesTool(parsed);
    const coverage = matchEffect(parsed);
    return rule.decision === 'allow' ? coverage === 'all' : coverage !== 'none';
  };
  runExamples(rule, matches);
  return compiled;
}

/** What restricts holds for every spelling of a name: whether a disk folds case must not open `.GIT` or `.ENV`. */
function anyCase(folding: PathFolding): PathFolding {
  return { ...folding, caseInsensitive: true };
}

/** Negative if the second is the more specific, positive if the first is, 0 on a tie. */
export function compareSpecificity(left: CompiledRule, right: CompiledRule): number {
  const [target, tool, effect] = left.specificity;
  const [otherTarget, otherTool, otherEffect] = right.specificity;
  // Two exact patterns are both infinite, and infinity minus itself is no number.
  if (target !== otherTarget) return target - otherTarget;
  return tool === otherTool ? effect - otherEffect : tool - otherTool;
}

function compileTarget(rule: PolicyRule, folding: PathFolding): TargetMatcher | undefined {
  if (rule.target === undefined) return undefined;
  if (rule.effect === undefined) {
    throw new PolicyError(
      `${formatRule(rule)}: a target needs an effect, which says how to read it`,
      { rule },
    );
  }
  try {
    return targetMatcher(rule.effect, rule.target, folding);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PolicyError(`${formatRule(rule)}: ${why}`, { rule });
  }
}

function runExamples(rule: PolicyRule, matches: (example: string) => boolean): void {
  for (const example of rule.examples ?? []) {
    if (matches(example)) continue;
    throw new PolicyError(
      `The rule "${formatRule(rule)}" does not match its example ${JSON.stringify(example)}`,
      {
        rule,
        example,
      },
    );
  }
  for (const example of rule.counterexamples ?? []) {
    if (!matches(example)) continue;
    throw new PolicyError(
      `The rule "${formatRule(rule)}" matches its counterexample ${JSON.stringify(example)}`,
      { rule, example },
    );
  }
}

/** Rules also come from configuration files, where any value can stand. */
function assertRule(rule: PolicyRule): void {
  const fail = (message: string): never => {
    throw new PolicyError(`A policy rule ${message}: ${JSON.stringify(rule)}`, { rule });
  };
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) fail('is an object');
  const unknown = Object.keys(rule).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) fail(`has no field ${JSON.stringify(unknown)}`);
  if (!DECISIONS.includes(rule.decision)) fail('decides deny, ask or allow');
  for (const field of ['tool', 'target', 'reason'] as const) {
    const value: unknown = rule[field];
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      fail(`has text as ${field}`);
  }
  if (rule.effect !== undefined && !isEffectKind(rule.effect))
    fail(`has an effect of ${effectKinds.join(', ')}`);
  for (const field of ['examples', 'counterexamples'] as const) {
    const value: unknown = rule[field];
    const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
    if (value !== undefined && !isList) fail(`has a list of texts as ${field}`);
  }
}
