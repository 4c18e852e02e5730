import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pagingOf, useRepository } from './repository-fixture.ts';

const repository = useRepository();

describe('add, commit, blame', () => {
  it('adds and commits, hooks or not', async () => {
    repository.write('.git/hooks/pre-commit', '#!/bin/sh\nexit 1\n');
    execFileSync('chmod', ['+x', join(repository.root, '.git/hooks/pre-commit')]);
    repository.write('a.txt', 'two\n');
    repository.write('-n', 'dash\n');
    expect((await repository.git({ command: 'commit' })).error).toMatchObject({
      reason: 'no_message',
    });
    expect((await repository.git({ command: 'commit', message: ' \n' })).error).toMatchObject({
      type: 'invalid_argument',
    });
    expect((await repository.git({ command: 'commit', message: 'x' })).error).toMatchObject({
      reason: 'nothing_to_commit',
    });
    expect((await repository.git({ command: 'add' })).error).toMatchObject({ reason: 'no_paths' });
    expect((await repository.git({ command: 'add', path: 'missing' })).error).toMatchObject({
      type: 'not_found',
    });
    expect((await repository.git({ command: 'add', paths: ['a.txt', '-n'] })).output).toBe(
      'staged now:\nA -n\nM a.txt\n',
    );
    const message = 'Änder "a"\n\n-- body; $(id)\n';
    const result = await repository.git({ command: 'commit', message });
    expect(result).toMatchObject({
      error: null,
      metadata: {
        subject: 'Änder "a"',
        files: [
          { status: 'A', path: '-n' },
          { status: 'M', path: 'a.txt' },
        ],
      },
    });
    expect(repository.own('log', '-1', '--format=%B')).toBe(`${message}\n`);
  });

  it('commits named paths alone', async () => {
    repository.write('a.txt', 'two\n');
    repository.write('b.txt', 'b\n');
    repository.own('add', '.');
    await repository.git({ command: 'commit', message: 'only b', paths: ['b.txt'] });
    expect(repository.own('status', '--porcelain')).toBe('M  a.txt\n');
  });

  it('refuses what is ignored, unless forced', async () => {
    repository.write('.gitignore', 'x\n');
    repository.write('x', '1');
    expect((await repository.git({ command: 'add', path: 'x' })).error).toMatchObject({
      reason: 'ignored',
    });
    expect((await repository.git({ command: 'add', path: 'x', force: true })).error).toBe(null);
  });

  it('blames in pages of lines', async () => {
    repository.commit('three lines', { 'a.txt': 'one\ntwo\nthree\n' });
    repository.write('a.txt', 'one\n2\nthree\n');
    const first = await repository.git({ command: 'blame', path: 'a.txt', limit: 2 });
    expect(first.metadata['entries']).toMatchObject([
      { line: 1, text: 'one', author: 'A U Thor' },
      { line: 2, text: '2', commit: '0'.repeat(40) },
    ]);
    const second = await repository.git({
      command: 'blame',
      path: 'a.txt',
      limit: 2,
      cursor: String(pagingOf(first).next),
    });
    expect(second.metadata['entries']).toMatchObject([{ line: 3, text: 'three' }]);
    expect(second.metadata['page']).toMatchObject({ total_items: 3, next_cursor: null });
    expect((await repository.git({ command: 'blame' })).error).toMatchObject({
      reason: 'no_paths',
    });
  });
});
