import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useRepository } from './repository-fixture.ts';

const repository = useRepository();

describe('branch, checkout, stash, worktree, remote', () => {
  it('makes and lists branches', async () => {
    expect(await repository.git({ command: 'branch', name: 'feature/x' })).toMatchObject({
      error: null,
      metadata: { branch: 'feature/x', base: 'HEAD' },
    });
    expect((await repository.git({ command: 'branch', name: 'feature/x' })).error).toMatchObject({
      reason: 'already_exists',
    });
    const { metadata, output } = await repository.git({ command: 'branch', limit: 1 });
    expect(metadata['page']).toMatchObject({ total_items: 2, truncated: true });
    expect(output).toMatch(/^ {2}feature\/x [0-9a-f]{10} first\n/);
  });

  it('checks out without losing local edits', async () => {
    repository.own('checkout', '-qb', 'other');
    repository.commit('other', { 'a.txt': 'other\n' });
    repository.own('checkout', '-q', 'main');
    repository.write('a.txt', 'edited\n');
    expect((await repository.git({ command: 'checkout', ref: 'other' })).error).toMatchObject({
      type: 'version_conflict',
      reason: 'local_edits',
    });
    expect((await repository.git({ command: 'checkout', paths: ['a.txt'] })).error).toMatchObject({
      reason: 'local_edits',
    });
    expect(readFileSync(join(repository.root, 'a.txt'), 'utf8')).toBe('edited\n');
    expect(
      (await repository.git({ command: 'checkout', paths: ['a.txt'], force: true })).error,
    ).toBe(null);
    expect(readFileSync(join(repository.root, 'a.txt'), 'utf8')).toBe('one\n');
    expect(await repository.git({ command: 'checkout', ref: 'other' })).toMatchObject({
      error: null,
      metadata: { branch: 'other', detached: false },
    });
    expect((await repository.git({ command: 'checkout', ref: 'main~0' })).metadata).toMatchObject({
      branch: null,
      detached: true,
    });
    expect(
      (await repository.git({ command: 'checkout', ref: 'fresh', new_branch: true, base: 'main' }))
        .metadata,
    ).toMatchObject({
      branch: 'fresh',
    });
    expect(repository.own('branch', '--show-current')).toBe('fresh\n');
    repository.write('a.txt', 'edited\n');
    expect((await repository.git({ command: 'checkout', ref: 'other', force: true })).error).toBe(
      null,
    );
    expect(readFileSync(join(repository.root, 'a.txt'), 'utf8')).toBe('other\n');
  });

  it('keeps an ignored file that a checkout would overwrite', async () => {
    repository.own('checkout', '-qb', 'other');
    repository.commit('tracked', { 'built.txt': 'tracked\n' });
    repository.own('checkout', '-q', 'main');
    repository.commit('ignore', { '.gitignore': 'built.txt\n' });
    repository.write('built.txt', 'mine\n');
    expect((await repository.git({ command: 'checkout', ref: 'other' })).error).toMatchObject({
      reason: 'local_edits',
    });
    expect(readFileSync(join(repository.root, 'built.txt'), 'utf8')).toBe('mine\n');
  });

  it('stashes and brings back', async () => {
    expect((await repository.git({ command: 'stash', subcommand: 'push' })).error).toMatchObject({
      reason: 'nothing_to_stash',
    });
    repository.write('a.txt', 'edited\n');
    repository.write('new.txt', 'new\n');
    expect(
      await repository.git({ command: 'stash', message: 'a note', include_untracked: true }),
    ).toMatchObject({
      error: null,
      metadata: { paths: ['a.txt', 'new.txt'] },
    });
    expect(existsSync(join(repository.root, 'new.txt'))).toBe(false);
    expect((await repository.git({ command: 'stash' })).metadata['entries']).toMatchObject([
      { name: 'stash@{0}', message: 'On main: a note' },
    ]);
    repository.write('a.txt', 'in the way\n');
    expect((await repository.git({ command: 'stash', subcommand: 'pop' })).error).toMatchObject({
      reason: 'stash_conflict',
    });
    expect(existsSync(join(repository.root, 'new.txt'))).toBe(false);
    repository.own('checkout', '-q', 'a.txt');
    expect(
      (await repository.git({ command: 'stash', subcommand: 'pop', ref: 'stash@{0}' })).error,
    ).toBe(null);
    expect(readFileSync(join(repository.root, 'new.txt'), 'utf8')).toBe('new\n');
    expect(
      (await repository.git({ command: 'stash', subcommand: 'drop', ref: '--all' })).error,
    ).toMatchObject({
      reason: 'bad_ref',
    });
    expect((await repository.git({ command: 'stash' })).output).toBe('no stashes\n');
  });

  it('makes, lists and removes worktrees inside the workspace', async () => {
    const made = await repository.git({ command: 'worktree', subcommand: 'create', name: 'topic' });
    expect(made).toMatchObject({
      error: null,
      metadata: { path: '.worktrees/topic', branch: 'topic' },
    });
    expect((await repository.git({ command: 'worktree' })).metadata['entries']).toMatchObject([
      { path: '', branch: 'main', inside: true },
      { path: '.worktrees/topic', branch: 'topic', inside: true },
    ]);
    for (const path of ['../outside', '/tmp/outside']) {
      expect(
        (await repository.git({ command: 'worktree', subcommand: 'create', name: 'y', path }))
          .error,
      ).toMatchObject({ reason: 'outside_workspace' });
    }
    repository.write('.worktrees/topic/edit.txt', 'x');
    const remove = { command: 'worktree', subcommand: 'remove', path: '.worktrees/topic' };
    expect((await repository.git(remove)).error).toMatchObject({ reason: 'local_edits' });
    expect((await repository.git({ ...remove, force: true })).error).toBe(null);
    expect(existsSync(join(repository.root, '.worktrees/topic'))).toBe(false);
  });

  it('redacts remotes', async () => {
    repository.own('remote', 'add', 'origin', 'https://user:t0ken@example.com/a/b.git?key=s3cret');
    repository.own('remote', 'add', 'ssh', 'git@example.com:a/b.git');
    repository.own('config', 'remote.origin.pushurl', 'https://gh-t0ken@example.com/a/b.git');
    const { metadata, output } = await repository.git({ command: 'remote' });
    expect(metadata['entries']).toEqual([
      { name: 'origin', url: 'https://example.com/a/b.git', direction: 'fetch' },
      { name: 'origin', url: 'https://example.com/a/b.git', direction: 'push' },
      { name: 'ssh', url: 'git@example.com:a/b.git', direction: 'fetch' },
    ]);
    expect(output).not.toMatch(/t0ken|s3cret/);
    repository.own('remote', 'remove', 'origin');
    repository.own('remote', 'remove', 'ssh');
    expect((await repository.git({ command: 'remote' })).output).toBe('no remotes\n');
  });
});
