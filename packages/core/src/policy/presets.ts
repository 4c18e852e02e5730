import type { PolicyPreset, PolicyRule } from './policy-rule.ts';

/**
 * Builtins of the shell that only speak, test or move the shell itself. None sets a variable that a later command would
 * obey: `export` is not among them, nor `set -a`. What they print or test can tell names of files, never their content.
 */
const HARMLESS_COMMANDS: readonly string[] = [
  'cd *',
  'pwd *',
  'echo *',
  'printf *',
  'true *',
  'false *',
  ': *',
  'test *',
  "'[' *",
  'type *',
  'command -v *',
  'exit *',
  'return *',
  'break *',
  'continue *',
  'shift *',
  'wait',
  'set -e',
  'set -u',
  'set -x',
  'set -eu',
  'set -ex',
  'set -eux',
  'set -o pipefail',
  'set -eo pipefail',
  'set -euo pipefail',
  'set -euxo pipefail',
  'set +e',
  'set +x',
];

const PRESETS: Readonly<Record<PolicyPreset, readonly PolicyRule[]>> = {
  readOnly: [
    {
      decision: 'allow',
      effect: 'read',
      examples: ['read:src/a.ts', 'read:**'],
      counterexamples: ['write:src/a.ts'],
    },
    { decision: 'allow', effect: 'ask' },
    { decision: 'allow', effect: 'model' },
    { decision: 'deny', effect: 'write', reason: 'the session is read-only' },
    { decision: 'deny', effect: 'exec', reason: 'the session is read-only' },
    {
      decision: 'deny',
      effect: 'unknown',
      reason: 'the session is read-only, and this tool does not say what it does',
    },
  ],
  guarded: [
    {
      decision: 'allow',
      effect: 'read',
      examples: ['read:src/a.ts', 'read:**'],
      counterexamples: ['write:src/a.ts'],
    },
    { decision: 'allow', effect: 'ask' },
    { decision: 'allow', effect: 'model' },
    ...HARMLESS_COMMANDS.map((target) => ({
      decision: 'allow' as const,
      effect: 'exec' as const,
      target,
    })),
  ],
  trusted: [{ decision: 'allow', reason: 'the host trusts this agent' }],
};

/** The names of the presets. */
export const policyPresets: readonly PolicyPreset[] = ['readOnly', 'guarded', 'trusted'];

/**
 * The rules of a preset, as plain data to print or to start from.
 *
 * - `readOnly`: reading, asking the person and asking models are allowed; writing, running and unknown effects are denied,
 *   and the network is asked;
 * - `guarded` (the default): what `readOnly` allows is allowed, and so are the shell's harmless builtins (`cd`, `echo`,
 *   `test`, …); everything else is asked; after untrusted content has reached the agent, what further rules allow of
 *   `exec`, `net` and `write` is asked again;
 * - `trusted`: everything is allowed.
 */
export function describePreset(preset: PolicyPreset): readonly PolicyRule[] {
  return PRESETS[preset].map((rule) => ({ ...rule }));
}
