import type { JsonObject } from '../json/json.ts';
import type { Effect, EffectKind } from '../tool/effects.ts';
import type { Tool } from '../tool/tool.ts';
import type { CapabilityId } from '../services/services.ts';
import type { PathFolding } from '../workspace/workspace.ts';
import type { CompiledRule } from './compile-rule.ts';
import { compileRule } from './compile-rule.ts';
import type { JudgedEffect } from './decide.ts';
import { decideEffect, decideTool, describeEffect, RuleBook, strictest } from './decide.ts';
import type { LoadedPolicy } from './load-policy.ts';
import { exactFolding } from './load-policy.ts';
import { exactPathPattern } from './match-path.ts';
import { formatRule } from './parse-rule.ts';
import type { PolicyDecision } from './policy-decision.ts';
import type { PolicyRule } from './policy-rule.ts';
import { describePreset } from './presets.ts';
import { proposeGrant } from './propose-grant.ts';

export type { LoadedPolicy } from './load-policy.ts';

/** A call as policy sees it. */
export interface PolicyRequest {
  readonly tool: string;
  /** File targets are real workspace paths. */
  readonly effects: readonly Effect[];
  readonly arguments: JsonObject;
}

/** The policy of one session: the host's rules, the grants that people gave, and whether content is tainted. */
export interface SessionPolicy {
  /** Whether untrusted content has reached the agent. */
  readonly tainted: boolean;
  /** What policy says of a call, with the rule that decided for each effect. Changes nothing. */
  decide(request: PolicyRequest): PolicyDecision;
  /** The exact rules that remembering an approval of these effects would keep; none for what is not asked. */
  proposeGrants(request: Pick<PolicyRequest, 'tool' | 'effects'>): readonly PolicyRule[];
  /** Keeps grants for the rest of the session. Errors: `PolicyError`. */
  grant(rules: readonly PolicyRule[]): void;
  /** Notes what a person has approved: paths written once may be written again after taint. */
  approve(effects: readonly Effect[]): void;
  /** Notes that untrusted content has reached the agent; lasts as long as the session. */
  taint(): void;
  grants(): readonly PolicyRule[];
  /** Why a model does not see a tool: a rule denies all of it, or an effect without which it can do nothing. */
  hides(tool: Pick<Tool, 'name' | 'requires'>): string | undefined;
}

/** Kinds for which `guarded` asks again once untrusted content has reached the agent. */
const REASKED: ReadonlySet<EffectKind> = new Set(['exec', 'net', 'write']);
/** Kinds whose grants are suspended then, whatever the preset. */
const SUSPENDED: ReadonlySet<EffectKind> = new Set(['exec', 'net']);

/** The effect that a tool has in every call if it cannot be without this capability. */
const ESSENTIAL_EFFECTS: Partial<Record<CapabilityId, EffectKind>> = {
  'files.write': 'write',
  processes: 'exec',
  http: 'net',
  models: 'model',
};

/** Makes the policy of a session; `folding` says how the workspace's disk compares names (default: exactly). */
export function createSessionPolicy(
  policy: LoadedPolicy,
  folding: PathFolding = exactFolding,
): SessionPolicy {
  return new LiveSessionPolicy(policy, folding);
}

class LiveSessionPolicy implements SessionPolicy {
  tainted = false;
  readonly #policy: LoadedPolicy;
  readonly #folding: PathFolding;
  readonly #rules: RuleBook;
  readonly #presetRules: ReadonlySet<PolicyRule>;
  readonly #grants: CompiledRule[] = [];
  /** The host's rules and the grants. */
  #all: RuleBook;
  /** Write targets that a person has approved, as rules that allow exactly them. */
  readonly #approved = new Map<string, CompiledRule>();

  constructor(policy: LoadedPolicy, folding: PathFolding) {
    this.#policy = policy;
    this.#folding = folding;
    this.#rules = new RuleBook(policy.rules.map((rule) => compileRule(rule, folding)));
    this.#all = this.#rules;
    this.#presetRules = new Set(policy.rules.slice(0, describePreset(policy.preset).length));
  }

  decide(request: PolicyRequest): PolicyDecision {
    const judged = request.effects.map((effect) => this.#judge(request.tool, effect));
    return strictest(judged) ?? decideTool(this.#all, request.tool);
  }

  proposeGrants(request: Pick<PolicyRequest, 'tool' | 'effects'>): readonly PolicyRule[] {
    const proposed = new Map<string, PolicyRule>();
    for (const effect of request.effects) {
      if (this.#judge(request.tool, effect).decision !== 'ask') continue;
      const rule = proposeGrant(request.tool, effect);
      if (rule !== undefined) proposed.set(formatRule(rule), rule);
    }
    return [...proposed.values()];
  }

  grant(rules: readonly PolicyRule[]): void {
    const known = new Set(this.#grants.map(({ rule }) => formatRule(rule)));
    for (const rule of rules) {
      if (!known.has(formatRule(rule))) this.#grants.push(compileRule(rule, this.#folding));
    }
    this.#all = new RuleBook([...this.#rules.all, ...this.#grants]);
  }

  approve(effects: readonly Effect[]): void {
    for (const { kind, target } of effects) {
      if (kind !== 'write' || target === '' || this.#approved.has(target)) continue;
      const pattern = exactPathPattern(target);
      const rule: PolicyRule = { decision: 'allow', effect: 'write', target: pattern };
      this.#approved.set(target, compileRule(rule, this.#folding));
    }
  }

  taint(): void {
    this.tainted = true;
  }

  grants(): readonly PolicyRule[] {
    return this.#grants.map(({ rule }) => rule);
  }

  hides(tool: Pick<Tool, 'name' | 'requires'>): string | undefined {
    const kinds = tool.requires.map((capability) => ESSENTIAL_EFFECTS[capability]);
    const denying = this.#rules.all.find(
      (rule) =>
        rule.rule.decision === 'deny' &&
        rule.matchesTool(tool.name) &&
        isWhole(rule.rule.target) &&
        (rule.isToolWide || kinds.includes(rule.rule.effect)),
    );
    return denying === undefined ? undefined : `policy denies it: ${formatRule(denying.rule)}`;
  }

  #judge(tool: string, effect: Effect): JudgedEffect {
    if (!this.tainted) return decideEffect(this.#all, tool, effect);
    const suspended = SUSPENDED.has(effect.kind);
    const judged = decideEffect(suspended ? this.#rules : this.#all, tool, effect);
    const byPreset = judged.rule !== undefined && this.#presetRules.has(judged.rule);
    if (judged.decision === 'allow' && !byPreset && this.#isReasked(tool, effect)) {
      const reason = `untrusted content has reached the agent, so ${describeEffect(effect)} is asked again`;
      return { ...judged, decision: 'ask', reason };
    }
    if (suspended && judged.decision === 'ask' && this.#isGranted(tool, effect)) {
      return {
        ...judged,
        reason: `${judged.reason}; its grant is suspended since untrusted content has reached the agent`,
      };
    }
    return judged;
  }

  #isReasked(tool: string, effect: Effect): boolean {
    if (this.#policy.preset !== 'guarded' || !REASKED.has(effect.kind)) return false;
    if (effect.kind !== 'write') return true;
    const approved = [...this.#approved.values()].some(
      (rule) => rule.match(tool, effect) === 'all',
    );
    return !approved && !this.#isGranted(tool, effect);
  }

  #isGranted(tool: string, effect: Effect): boolean {
    return this.#grants.some(
      ({ rule, match }) => rule.decision === 'allow' && match(tool, effect) === 'all',
    );
  }
}

/** Whether a rule speaks of all targets; a pattern of stars may still leave some out (`*.*`). */
function isWhole(target: string | undefined): boolean {
  return target === undefined || target === '*' || target === '**';
}
