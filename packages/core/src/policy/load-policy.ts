import type { PolicyInput } from './policy-rule.ts';
export type LoadedPolicy = PolicyInput;
export const loadPolicy = (p: PolicyInput): LoadedPolicy => p;
