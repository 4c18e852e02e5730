import { expect, test } from 'vitest';
import { gitAuthority } from '../../src/kernel/git-authority.ts';

test.each([
  'status --porcelain=v2 -z',
  'log -z --format=%H HEAD -- a.txt',
  'rev-parse --verify --quiet --end-of-options --output',
  'cat-file -p abc',
  'diff --text HEAD -- --output=x',
  'config -z --get-regexp ^remote',
  'config --list',
  'stash list -z',
  'stash show --name-only abc',
  'worktree list --porcelain',
  'branch --show-current',
  'tag --list',
  'remote',
])('looks: git %s', (line) => {
  expect(gitAuthority(line.split(' '))).toBe('read');
});

test.each([
  ['repository', 'add --all'],
  ['repository', 'commit --quiet --file=-'],
  ['repository', 'branch --list -D main'],
  ['repository', 'branch main'],
  ['repository', 'stash drop'],
  ['repository', 'tag --list -d v1'],
  ['files', 'checkout main'],
  ['files', 'stash push'],
  ['files', 'stash pop'],
  ['files', 'worktree add wt main'],
  ['files', 'reset --hard'],
  ['everything', ''],
  ['everything', '-c alias.x=!id x'],
  ['everything', '-C .. status'],
  ['everything', '--exec-path=/tmp status'],
  ['everything', 'config core.pager id'],
  ['everything', 'config --file /etc/x --list'],
  ['everything', 'config --fil=/etc/x --list'],
  ['everything', 'config -f/etc/x --list'],
  ['everything', 'diff --output x'],
  ['everything', 'diff --outpu=x'],
  ['everything', 'log --ext-diff -p'],
  ['everything', 'diff --no-ind a b'],
  ['everything', 'show --textconv HEAD:a'],
  ['everything', 'blame --contents /etc/passwd a'],
  ['everything', 'fetch origin'],
  ['everything', 'push'],
  ['everything', 'submodule update'],
  ['everything', 'remote add origin x'],
  ['everything', 'constructor'],
  ['everything', 'toString list'],
])('takes %s: git %s', (authority, line) => {
  expect(gitAuthority(line === '' ? [] : line.split(' '))).toBe(authority);
});
