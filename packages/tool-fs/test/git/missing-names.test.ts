import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@toolwright/core';
import { describe, expect, it } from 'vitest';
import { useRepository } from './repository-fixture.ts';

const repository = useRepository();

describe('names that are not there', () => {
  const calls: readonly JsonObject[] = [
    { command: 'status', path: 'nope' },
    { command: 'log', path: 'nope' },
    { command: 'log', paths: ['a.txt', 'nope'], ref: 'HEAD..HEAD' },
    { command: 'diff', path: 'nope' },
    { command: 'diff', base: 'HEAD', target: 'HEAD', path: 'no/such' },
    { command: 'blame', path: 'nope' },
    { command: 'blame', path: 'a.txt', ref: 'nope' },
    { command: 'add', path: 'nope' },
    { command: 'commit', message: 'm', path: 'nope' },
    { command: 'stash', subcommand: 'push', path: 'nope' },
    { command: 'checkout', paths: ['nope'], force: true },
    { command: 'checkout', ref: 'nope' },
    { command: 'diff', base: 'nope' },
    { command: 'diff', ref: 'main..nope' },
    { command: 'diff', base: 'main', target: 'nope' },
    { command: 'log', ref: 'nope' },
    { command: 'show', ref: 'nope' },
    { command: 'show', ref: 'HEAD:nope' },
    { command: 'branch', name: 'b', base: 'nope' },
    { command: 'worktree', subcommand: 'remove', path: 'nope' },
    { command: 'stash', subcommand: 'drop', ref: 'stash@{3}' },
  ];
  it.each(calls.map((call) => [JSON.stringify(call), call] as const))('%s', async (_name, call) => {
    expect((await repository.git(call)).error).toMatchObject({ type: 'not_found' });
  });

  it('a path that is known, but of which there is nothing to tell, is no error', async () => {
    repository.commit('more', { 'sub/b.txt': 'b\n', 'gone.txt': 'g\n' });
    const before = repository.own('rev-parse', 'HEAD').trim();
    repository.own('rm', '-q', 'gone.txt');
    repository.own('commit', '-qm', 'gone');
    repository.write('new/untracked.txt', 'u\n');
    repository.write('.gitignore', 'ignored.txt\n');
    repository.write('ignored.txt', 'i\n');
    for (const call of [
      { command: 'status', paths: ['a.txt', 'sub', 'sub/b.txt', 'ignored.txt'] },
      { command: 'diff', paths: ['a.txt', 'sub', 'new', 'new/untracked.txt'] },
      { command: 'diff', base: before, target: before, path: 'gone.txt' },
      { command: 'log', path: 'new/untracked.txt' },
      { command: 'log', path: 'gone.txt' },
    ]) {
      expect((await repository.git(call)).error).toBeNull();
    }
  });

  it('an option-like name is told with the field it stands in', async () => {
    for (const field of ['base', 'target', 'ref']) {
      const { error } = await repository.git({ command: 'diff', [field]: '--no-index' });
      expect(error).toMatchObject({ type: 'invalid_argument', reason: 'bad_ref', field });
    }
  });

  it('blame of an empty file has no lines; before the first commit there is nothing to blame', async () => {
    repository.commit('empty', { 'empty.txt': '' });
    const blame = await repository.git({ command: 'blame', path: 'empty.txt' });
    expect(blame).toMatchObject({
      error: null,
      output: 'no lines\n',
      metadata: { page: { offset: 0, returned_items: 0, total_items: 0, next_cursor: null } },
    });
    rmSync(join(repository.root, '.git'), { recursive: true });
    repository.own('init', '-q');
    const unborn = await repository.git({ command: 'blame', path: 'a.txt' });
    expect(unborn.error).toMatchObject({ type: 'not_found', reason: 'unknown_revision' });
  });

  it('a .git that git cannot read is no repository', async () => {
    writeFileSync(join(repository.root, '.git/HEAD'), 'garbage');
    expect((await repository.git({ command: 'status' })).error).toMatchObject({
      type: 'not_found',
      reason: 'not_a_repository',
    });
  });
});

describe('a merge that is not resolved', () => {
  it('is told by commit and stash, with the paths', async () => {
    repository.own('checkout', '-qb', 'other');
    repository.commit('theirs', { 'a.txt': 'theirs\n' });
    repository.own('checkout', '-q', 'main');
    repository.commit('ours', { 'a.txt': 'ours\n' });
    expect(() => repository.own('merge', 'other')).toThrow(/CONFLICT|Command failed/u);
    for (const call of [
      { command: 'commit', message: 'm' },
      { command: 'stash', subcommand: 'push' },
    ]) {
      const { error, output } = await repository.git(call);
      expect(error).toMatchObject({
        type: 'version_conflict',
        reason: 'unmerged',
        paths: ['a.txt'],
      });
      expect(output).toContain('"a.txt"');
    }
    expect((await repository.git({ command: 'status' })).metadata['entries']).toMatchObject([
      { path: 'a.txt', index: 'U', worktree: 'U' },
    ]);
  });
});
