import type { Effect } from '../tool/effects.ts';
import { exactFolding } from './load-policy.ts';
import { compileRule } from './compile-rule.ts';
import { escapeGlob } from './match-glob.ts';
import { exactPathPattern } from './match-path.ts';
import type { PolicyRule } from './policy-rule.ts';
import { quoteWord, shellWords } from './shell-words.ts';

/**
 * The exact rule that remembering an approval would keep: this tool, this kind, this target and nothing wider, with
 * examples of what it would and would not allow. `undefined` where nothing exact can be said or kept: unknown effects,
 * questions to a person, and commands that are more than one simple command.
 */
export function proposeGrant(tool: string, effect: Effect): PolicyRule | undefined {
  const exact = exactTarget(effect);
  if (exact === undefined) return undefined;
  // Frozen: a person is shown this very rule, and what is kept is what they were shown.
  const rule = Object.freeze<PolicyRule>({
    decision: 'allow',
    tool,
    effect: effect.kind,
    target: exact.target,
    examples: Object.freeze([`${effect.kind}:${exact.example}`]),
    counterexamples: Object.freeze(exact.others.map((other) => `${effect.kind}:${other}`)),
  });
  try {
    const compiled = compileRule(rule, exactFolding);
    return compiled.match(tool, effect) === 'all' ? compiled.rule : undefined;
  } catch {
    // A target that no pattern can name, such as a host that is no host.
    return undefined;
  }
}

interface ExactTarget {
  readonly target: string;
  readonly example: string;
  readonly others: readonly string[];
}

function exactTarget(effect: Effect): ExactTarget | undefined {
  const { target } = effect;
  switch (effect.kind) {
    case 'read':
    case 'write': {
      if (target === '**') return { target, example: target, others: [] };
      const others = target.endsWith('/**')
        ? [`${target.slice(0, -3)}-other/file`, '**']
        : [`${target}.bak`];
      return { target: exactPathPattern(target), example: target, others };
    }
    case 'exec': {
      const { words, isSimple } = shellWords(target);
      if (!isSimple || words.length === 0) return undefined;
      const command = words.map(({ text }) => quoteWord(text)).join(' ');
      return { target: command, example: command, others: [`${command} --more`, `${command}; id`] };
    }
    case 'net': {
      const method = effect.method ?? 'GET';
      const other = method === 'GET' || method === 'HEAD' ? 'POST' : 'DELETE';
      return {
        target: `${method} ${target}`,
        example: `${method} ${target}`,
        others: [`${method} other.${target}`, `${other === method ? 'PUT' : other} ${target}`],
      };
    }
    case 'model':
      return { target: escapeGlob(target), example: target, others: [`${target}-other`] };
    case 'ask':
    case 'unknown':
      return undefined;
  }
}
