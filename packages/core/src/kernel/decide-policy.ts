import { isArtifactUri } from '../artifacts/artifact-access.ts';
import { ToolError } from '../errors/tool-error.ts';
import type { PolicyDecision } from '../policy/policy-decision.ts';
import type { Effect } from '../tool/effects.ts';
import type { BoundCall } from './bound-call.ts';
import { emit } from './emit.ts';
import type { KernelSession } from './kernel-session.ts';

/** Stage 6: deny, ask or allow, on effects and arguments. Host calls skip policy. Errors: `permission_denied`. */
export function decidePolicy(
  session: KernelSession,
  call: BoundCall,
  effects: readonly Effect[] = call.effects,
): PolicyDecision {
  const { invocation } = call;
  invocation.stage = 'policy';
  const { origin } = invocation;
  if (origin === 'host' || origin === 'host-nested') {
    return { decision: 'allow', effects: [], reason: 'the host made this call' };
  }
  const decision = judge(session, call, effects);
  if (decision.decision !== 'deny') return decision;
  emit(session, invocation, () => ({
    type: 'permission_denied',
    tool_id: invocation.id,
    tool_name: invocation.name,
    args: call.args,
    reason: decision.reason,
  }));
  throw new ToolError(
    'permission_denied',
    `Policy refuses this call of ${invocation.name}: ${decision.reason}. Do it another way, or ask the person at the session.`,
    {
      reason: 'policy',
      ...(decision.rule === undefined ? {} : { fields: { rule: { ...decision.rule } } }),
    },
  );
}

/** What policy says of a call by an agent, whoever made it. */
export function judge(
  session: KernelSession,
  call: Pick<BoundCall, 'tool' | 'args'>,
  effects: readonly Effect[],
): PolicyDecision {
  // A session's own artifacts are its own words: reading them needs nobody's leave.
  const outside = effects.some(readsArtifact)
    ? effects.filter((effect) => !readsArtifact(effect))
    : effects;
  return session.policy.decide({ tool: call.tool.name, effects: outside, arguments: call.args });
}

function readsArtifact({ kind, target }: Effect): boolean {
  return kind === 'read' && isArtifactUri(target);
}
