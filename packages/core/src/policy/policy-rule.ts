import type { EffectKind } from '../tool/effects.ts';

/** What a rule says of a call. */
export type Decision = 'deny' | 'ask' | 'allow';

/** One rule of a policy, as data. A rule without `tool`, `effect` and `target` matches every call. */
export interface PolicyRule {
  readonly decision: Decision;
  /** A tool's name, `*` and `?` allowed: `mcp__github__*`. */
  readonly tool?: string;
  readonly effect?: EffectKind;
  /**
   * By kind: paths as root-anchored gitignore globs, hosts by label (`*.example.com`, `host:port`,
   * `POST host`), commands by words (`git status*`).
   */
  readonly target?: string;
  /** Why the rule is there; shown with its decisions. */
  readonly reason?: string;
  /** Calls that the rule must match, in short form (`write:.env`, or a tool's name). Checked at load. */
  readonly examples?: readonly string[];
  /** Calls that the rule must not match. Checked at load. */
  readonly counterexamples?: readonly string[];
}

/** Named sets of rules to start from; `describePreset` prints them as data. */
export type PolicyPreset = 'readOnly' | 'guarded' | 'trusted';

/**
 * A policy as a host or a config file gives it. Any deny wins; between ask and allow the more specific
 * rule, on a tie ask; of several effects the strictest decides; what no rule matches is asked.
 */
export interface PolicyInput {
  /** Default `guarded`. */
  readonly preset?: PolicyPreset;
  readonly rules?: readonly PolicyRule[];
  /** Rules in short form: `kind:glob` (`write:.env*`, `exec:git status*`, `net:*.example.com`) or a tool's name. */
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  readonly allow?: readonly string[];
}
