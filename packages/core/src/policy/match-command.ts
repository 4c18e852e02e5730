import type { GlobToken } from './match-glob.ts';
import { globPrecision, matchGlob, parseGlob } from './match-glob.ts';
import type { Coverage, TargetMatcher } from './match-target.ts';
import type { ShellWord } from './shell-words.ts';
import { shellWords } from './shell-words.ts';

/**
 * Compiles a command pattern, compared word by word after quotes are removed:
 *
 * - without a star at its end it means exactly these words;
 * - a last word `*`, and a `*` directly behind a letter, digit or `_` of the last word, mean any further words or none:
 *   `git status*` is `git status` and `git status --short`, never `git statusx`;
 * - any other `*`, `?` or class stays inside its word: `npm run test:*` is every script whose name begins so.
 *
 * A command that is more than one simple command (`a; b`, `$(c)`, a redirection) is never covered as a
 * whole: the pattern may match a part of it. The first word is also compared by its last path segment, and behind assignments
 * (`A=1 /bin/rm` touches `rm*`): that makes a rule that denies or asks apply, never one that allows. Wrappers such as
 * `env`, `xargs` or `sh -c` are not looked into.
 *
 * @throws TypeError for an empty pattern, one that is no simple command, or a bracket left open.
 */
export function commandMatcher(pattern: string): TargetMatcher {
  const { words, isSimple } = shellWords(pattern);
  const last = words.at(-1);
  if (last === undefined || !isSimple)
    throw new TypeError('a command pattern is one simple command');
  const isOpen = /(?:^|\w)\*$/u.test(last.glob);
  const stem = isOpen ? last.glob.slice(0, -1) : last.glob;
  const globs = [
    ...words.slice(0, -1).map(({ glob }) => glob),
    ...(isOpen && stem === '' ? [] : [stem]),
  ];
  const parsed = globs.map((glob) => {
    const tokens = parseGlob(glob);
    if (tokens === undefined) throw new TypeError('a bracket is left open');
    return tokens;
  });
  const isExact = !isOpen && parsed.every((tokens) => globPrecision(tokens) === Infinity);
  const literals = parsed.flat().filter(({ kind }) => kind === 'literal').length;
  return {
    precision: isExact ? Infinity : literals,
    match: ({ target }) => matchCommand({ words: parsed, isOpen }, target),
  };
}

interface CommandPattern {
  readonly words: readonly (readonly GlobToken[])[];
  readonly isOpen: boolean;
}

function matchCommand(pattern: CommandPattern, target: string): Coverage {
  const command = shellWords(target);
  if (command.isSimple) {
    if (matchWords(pattern, command.words)) return 'all';
    return matchWords(pattern, plainCommand(command.words)) ? 'part' : 'none';
  }
  const isTouched = command.words.some(
    (_word, index) =>
      matchWords({ ...pattern, isOpen: true }, command.words.slice(index)) ||
      matchWords({ ...pattern, isOpen: true }, plainCommand(command.words.slice(index))),
  );
  return isTouched ? 'part' : 'none';
}

function matchWords({ words, isOpen }: CommandPattern, command: readonly ShellWord[]): boolean {
  if (command.length < words.length || (!isOpen && command.length > words.length)) return false;
  return words.every((tokens, index) => matchGlob(tokens, command[index]?.text ?? ''));
}

/** Without leading assignments, and with the program's bare name. */
function plainCommand(words: readonly ShellWord[]): readonly ShellWord[] {
  const start = words.findIndex(({ text }) => !/^[A-Za-z_]\w*\+?=/u.test(text));
  const [program, ...rest] = start < 0 ? [] : words.slice(start);
  if (program === undefined) return [];
  const name = program.text.replace(/^.*\//su, '');
  return [{ text: name, glob: name }, ...rest];
}
