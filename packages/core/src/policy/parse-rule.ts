import { effectKinds, isEffectKind, type Effect } from '../tool/effects.ts';
import { nearestName } from '../validation/nearest-name.ts';
import { PolicyError } from './policy-error.ts';
import type { Decision, PolicyRule } from './policy-rule.ts';

/**
 * Reads the short form of a rule: `kind:pattern` (`write:.env*`, `exec:git status*`, `net:POST *.example.com`), or a
 * tool's name with `*` and `?`.
 *
 * @throws PolicyError for an unknown kind or an empty pattern.
 */
export function parseRule(short: string, decision: Decision): PolicyRule {
  const parts = splitShort(short);
  if (typeof parts === 'string') {
    if (!/^[A-Za-z0-9_*?-]+$/u.test(parts)) {
      throw new PolicyError(`${JSON.stringify(short)} is neither kind:pattern nor a tool's name`, {
        rule: short,
      });
    }
    return { decision, tool: parts };
  }
  return { decision, effect: parts.kind, target: parts.target };
}

/** A call in short form, as examples have it: one effect, or a tool's name. */
export function parseExample(short: string): Effect | string {
  const parts = splitShort(short);
  if (typeof parts === 'string' || parts.kind !== 'net') return parts;
  const [, method, target = parts.target] = /^([A-Z]+) +(\S.*)$/su.exec(parts.target) ?? [];
  return method === undefined ? parts : { kind: 'net', target, method };
}

/** A rule in one line: `deny write:.env*`, `allow edit write:src/a.ts`, `ask everything`. */
export function formatRule(rule: PolicyRule): string {
  const effect = rule.effect === undefined ? undefined : `${rule.effect}:${rule.target ?? '*'}`;
  const subject = [rule.tool, effect].filter((part) => part !== undefined).join(' ');
  return `${rule.decision} ${subject === '' ? 'everything' : subject}`;
}

function splitShort(short: string): Effect | string {
  const colon = short.indexOf(':');
  if (colon < 0) return short;
  const kind = short.slice(0, colon);
  const target = short.slice(colon + 1);
  if (!isEffectKind(kind)) {
    const nearest = nearestName(kind, effectKinds);
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    throw new PolicyError(
      `${JSON.stringify(short)}: no effect is called ${JSON.stringify(kind)}${hint} (${effectKinds.join(', ')})`,
      { rule: short },
    );
  }
  if (target.trim() === '')
    throw new PolicyError(`${JSON.stringify(short)}: the pattern is empty`, { rule: short });
  return { kind, target };
}
