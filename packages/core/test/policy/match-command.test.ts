import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandMatcher } from '../../src/policy/match-command.ts';
import { quoteWord, shellWords } from '../../src/policy/shell-words.ts';

test.each([
  ['git status*', 'git status', 'all'],
  ['git status*', 'git status --short', 'all'],
  ['git status*', 'git   status\t-s', 'all'],
  ['git status*', 'git statusx', 'none'],
  ['git status*', 'git statusx; rm -rf .', 'none'],
  ['git status*', 'git status; rm -rf .', 'part'],
  ['git status*', 'git status && rm -rf .', 'part'],
  ['git status*', 'git status | tee x', 'part'],
  ['git status*', 'git status > x', 'part'],
  ['git status*', 'git status $(rm x)', 'part'],
  ['git status*', 'git status "$(rm x)"', 'part'],
  ['git status*', 'git status `rm x`', 'part'],
  ['git status*', 'git status\nrm -rf .', 'part'],
  ['git status*', 'git status "a', 'part'],
  ['git status*', "git status 'a; b'", 'all'],
  ['git status*', 'git', 'none'],
  ['git status*', 'GIT status', 'none'],
  ['git status', 'git status -s', 'none'],
  ['git *', 'git', 'all'],
  ['git *', 'git push', 'all'],
  ['npm run test:*', 'npm run test:unit -- -t x', 'none'],
  ['npm run test:*', 'npm run test:unit', 'all'],
  ['npm run test:* *', 'npm run test:unit -- -t x', 'all'],
  ['npm run test:*', 'npm run testify', 'none'],
  ['./scripts/*', './scripts/a b', 'none'],
  ['rm*', 'rm -rf /', 'all'],
  ['rm*', 'rmdir x', 'none'],
  ['rm*', '/bin/rm -rf /', 'part'],
  ['rm*', 'A=1 B=2 rm -rf /', 'part'],
  ['rm*', 'r\\m -rf /', 'all'],
  ['rm*', '"rm" -rf /', 'all'],
  ['rm*', "r''m x", 'all'],
  ['rm*', 'echo a; /bin/rm b', 'part'],
  ['rm*', 'echo rm', 'none'],
  ['git status*', 'GIT_DIR=x git status', 'part'],
  ["echo 'a*'", 'echo "a*"', 'all'],
  ["echo 'a*'", 'echo ab', 'none'],
  ['echo a\\*', 'echo ab', 'none'],
])('%s and %j: %s', (pattern, target, coverage) => {
  expect(commandMatcher(pattern).match({ kind: 'exec', target })).toBe(coverage);
});

test('words quoted by us are read back, and as a pattern they match themselves alone', () => {
  const word = fc.string({
    unit: fc.constantFrom('a', ' ', "'", '"', '\\', '*', '[', '$', '`', ';', '\n', 'é'),
  });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
      const command = words.map(quoteWord).join(' ');
      expect(shellWords(command)).toMatchObject({
        isSimple: true,
        words: words.map((text) => ({ text })),
      });
      const matcher = commandMatcher(command);
      expect(matcher.match({ kind: 'exec', target: command })).toBe('all');
      expect(matcher.match({ kind: 'exec', target: `${command} x` })).toBe('none');
    }),
  );
});

test.each(['', '  ', 'a; b', 'a > b', 'a "', 'a [b'])('%j is no command pattern', (pattern) => {
  expect(() => commandMatcher(pattern)).toThrow(TypeError);
});

test.each([
  // To bash the second quote is escaped: another command follows.
  "echo $'a\\'' ; rm -rf x #'",
  "echo $'\\x3b'",
  'echo $"hello"',
])(
  'a command with a quoting that this reader does not know is never covered as a whole: %s',
  (target) => {
    expect(shellWords(target).isSimple).toBe(false);
    expect(commandMatcher('echo *').match({ kind: 'exec', target })).toBe('part');
  },
);

test('a dollar inside of quotes or before other words changes nothing', () => {
  for (const target of ["echo '$'", 'echo "$"', 'echo $HOME', "echo \\$'a'"]) {
    expect(shellWords(target).isSimple).toBe(true);
  }
});
