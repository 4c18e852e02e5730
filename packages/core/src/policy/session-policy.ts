import type { JsonObject } from '../json/json.ts';
import type { Effect } from '../tool/effects.ts';
import type { Tool } from '../tool/tool.ts';
import type { PolicyDecision } from './policy-decision.ts';
import type { PolicyRule } from './policy-rule.ts';

/** The policy of one session: the host's rules, the grants that people gave, and whether content is tainted. */
export interface SessionPolicy {
  readonly tainted: boolean;
  decide(request: {
    readonly tool: string;
    readonly effects: readonly Effect[];
    readonly arguments: JsonObject;
  }): PolicyDecision;
  proposeGrants(request: {
    readonly tool: string;
    readonly effects: readonly Effect[];
  }): readonly PolicyRule[];
  grant(rules: readonly PolicyRule[]): void;
  approve(effects: readonly Effect[]): void;
  taint(): void;
  grants(): readonly PolicyRule[];
  hides(tool: Tool): string | undefined;
}
export type { LoadedPolicy } from './load-policy.ts';
import type { LoadedPolicy } from './load-policy.ts';
export function createSessionPolicy(_p: LoadedPolicy): SessionPolicy {
  return {
    tainted: false,
    decide: () => ({ decision: 'ask', effects: [], reason: 'x' }),
    proposeGrants: () => [],
    grant: () => {},
    approve: () => {},
    taint: () => {},
    grants: () => [],
    hides: () => undefined,
  };
}
