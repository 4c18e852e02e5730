import type { PolicyRule } from './policy-rule.ts';

/** What a {@link PolicyError} is about. */
export interface PolicyErrorOptions {
  /** The rule as it was given: an object, or its short form. */
  readonly rule?: PolicyRule | string;
  /** The example or counterexample that disagrees. */
  readonly example?: string;
}

/** A policy that does not load: a mistake in a rule, or an example that its rule contradicts. */
export class PolicyError extends TypeError {
  override readonly name = 'PolicyError';
  readonly rule: PolicyRule | string | undefined;
  readonly example: string | undefined;

  constructor(message: string, options: PolicyErrorOptions = {}) {
    super(message);
    this.rule = options.rule;
    this.example = options.example;
  }
}
