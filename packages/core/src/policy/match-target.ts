import type { Effect, EffectKind } from '../tool/effects.ts';
import type { PathFolding } from '../workspace/workspace.ts';
import { commandMatcher } from './match-command.ts';
import { globPrecision, matchGlob, parseGlob } from './match-glob.ts';
import { hostMatcher } from './match-host.ts';
import { pathMatcher } from './match-path.ts';

/**
 * How a pattern stands to a target: it covers all that the target means; certainly a part of it (one of several
 * commands); perhaps a part of it (something in a tree); or nothing.
 */
export type Coverage = 'all' | 'part' | 'perhaps' | 'none';

/** A compiled target pattern. */
export interface TargetMatcher {
  match(effect: Effect): Coverage;
  /** Literal characters of the pattern; `Infinity` for an exact one, 0 for one that matches everything. */
  readonly precision: number;
}

/** Compiles the target pattern of a rule. Errors: `TypeError` for a pattern that could match nothing. */
export function targetMatcher(
  kind: EffectKind,
  pattern: string,
  folding: PathFolding,
): TargetMatcher {
  if (pattern === '*' || pattern === '**') return { match: () => 'all', precision: 0 };
  switch (kind) {
    case 'read':
    case 'write':
      return pathMatcher(pattern, folding);
    case 'exec':
      return commandMatcher(pattern);
    case 'net':
      return hostMatcher(pattern);
    case 'model':
    case 'ask':
    case 'unknown':
      return nameMatcher(pattern);
  }
}

function nameMatcher(pattern: string): TargetMatcher {
  const tokens = parseGlob(pattern);
  if (tokens === undefined) throw new TypeError('a bracket or a backslash at the end is left open');
  return {
    precision: globPrecision(tokens),
    match: ({ target }) => (matchGlob(tokens, target) ? 'all' : 'none'),
  };
}
