import { createInterface } from 'node:readline/promises';
import type { Approver } from '@toolwright/core';
import type { Options } from './options.ts';
import type { Terminal } from './terminal.ts';

/** Who answers what policy asks: everything yes with `--yes`, the person at the terminal, or nobody. */
export function approverFor(options: Options, terminal: Terminal): Approver | undefined {
  if (options.yes) return async () => ({ decision: 'approve' });
  if (terminal.stdin.isTTY !== true || terminal.stderr.isTTY !== true) return undefined;
  return async (pending, { signal }) => {
    const prompt = createInterface({ input: terminal.stdin, output: terminal.stderr });
    try {
      const effects = pending.effects.map(({ kind, target }) => `  ${kind} ${printable(target)}`);
      const question = [
        `${pending.call.name} asks (${printable(pending.reason)}):`,
        ...effects,
        `  ${printable(JSON.stringify(pending.call.arguments)).slice(0, 2_000)}`,
        'Allow it? [y]es, [a]lways in this session, [n]o: ',
      ].join('\n');
      const answer = (await prompt.question(question, { signal })).trim().toLowerCase();
      if (answer === 'a' || answer === 'always') return { decision: 'approve', remember: true };
      if (answer === 'y' || answer === 'yes') return { decision: 'approve' };
      return { decision: 'reject' };
    } finally {
      prompt.close();
    }
  };
}

/** Control characters, invisible ones and turned writing directions must not deceive the person who decides. */
export function printable(text: string): string {
  return text.replaceAll(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu,
    (character) => {
      const code = character.codePointAt(0) ?? 0;
      return code > 0xffff
        ? `\\u{${code.toString(16)}}`
        : `\\u${code.toString(16).padStart(4, '0')}`;
    },
  );
}
