/** What a git command can do: look, change the repository, change files too, or anything (run programs, reach the network). */
export type GitAuthority = 'read' | 'repository' | 'files' | 'everything';

/** Commands that look, whatever their arguments are, options that {@link widening} names left out. */
const looking: ReadonlySet<string> = new Set([
  'blame',
  'cat-file',
  'check-attr',
  'check-ignore',
  'count-objects',
  'describe',
  'diff',
  'diff-files',
  'diff-index',
  'diff-tree',
  'for-each-ref',
  'log',
  'ls-files',
  'ls-tree',
  'merge-base',
  'name-rev',
  'range-diff',
  'rev-list',
  'rev-parse',
  'shortlog',
  'show',
  'show-ref',
  'status',
  'version',
]);

/** Commands that look with exactly these first arguments. */
const lookingWith: Readonly<Record<string, readonly string[]>> = {
  branch: ['--list', '--show-current'],
  notes: ['list', 'show'],
  reflog: ['exists', 'show'],
  stash: ['list', 'show'],
  tag: ['--list'],
  worktree: ['list'],
};

const changingRepository: ReadonlySet<string> = new Set([
  'add',
  'branch',
  'commit',
  'commit-tree',
  'hash-object',
  'mktag',
  'mktree',
  'notes',
  'pack-refs',
  'reflog',
  'symbolic-ref',
  'tag',
  'update-index',
  'update-ref',
  'write-tree',
]);

const changingFiles: ReadonlySet<string> = new Set([
  'checkout',
  'cherry-pick',
  'clean',
  'merge',
  'mv',
  'read-tree',
  'reset',
  'restore',
  'revert',
  'rm',
  'stash',
  'switch',
  'worktree',
]);

/** Options that make a command that looks write a file, run a program, or read a file that is none of the repository's. */
const widening: readonly string[] = [
  '--contents',
  '--exec',
  '--ext-diff',
  '--file',
  '--filters',
  '--ignore-revs-file',
  '--no-index',
  '--open-files-in-pager',
  '--output',
  '--pathspec-from-file',
  '--textconv',
];

/**
 * What git may do with these arguments, as far as they tell: what is not known to do less may do anything, an alias or a
 * setting before the command above all (`-c alias.x=!program`). See git(1) and git-scm.com/docs.
 */
export function gitAuthority(args: readonly string[]): GitAuthority {
  const [command = '', first = '', ...more] = args;
  if (isLooking(command, first, args)) return 'read';
  if (command === 'stash' && (first === 'drop' || first === 'clear')) return 'repository';
  if (command === 'remote' && first === '' && more.length === 0) return 'read';
  if (changingRepository.has(command)) return 'repository';
  return changingFiles.has(command) ? 'files' : 'everything';
}

function isLooking(command: string, first: string, args: readonly string[]): boolean {
  const options = optionsOf(args);
  if (options.some(isWidening)) return false;
  if (looking.has(command)) return true;
  if (command === 'config') {
    if (options.some((option) => option.startsWith('-f'))) return false;
    return options.some(
      (option) => option === '--list' || /^--get(?:-all|-regexp)?$/u.test(option),
    );
  }
  const known = Object.hasOwn(lookingWith, command) ? lookingWith[command] : undefined;
  // A second option could be one that deletes.
  const isPlain = first.startsWith('--') ? options.length === 1 : true;
  return known?.includes(first) === true && isPlain;
}

/** The options of a command: what comes behind the end of options is none. */
function optionsOf(args: readonly string[]): readonly string[] {
  const end = args.findIndex((arg) => arg === '--' || arg === '--end-of-options');
  return (end < 0 ? args : args.slice(0, end)).filter((arg) => arg.startsWith('-'));
}

/** git takes a long option by any beginning that is clear, with its value behind `=`. */
function isWidening(option: string): boolean {
  const name = option.replace(/=.*$/su, '');
  // Whole names that happen to begin another: they compare bytes as text, or say what stands before a changed line.
  if (name === '--text' || name === '--no') return false;
  return name.length > 3 && widening.some((long) => long.startsWith(name));
}
