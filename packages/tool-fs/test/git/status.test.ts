import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitTool } from '../../src/git.ts';
import { openSession } from '../open-session.ts';
import { useRepository } from './repository-fixture.ts';

const repository = useRepository();

describe('status', () => {
  it('GIT-001 non-ASCII path in status', async () => {
    for (const name of ['ä.txt', '测试.md', 'a b.txt']) repository.write(name, 'x');
    const { metadata, output } = await repository.git({ command: 'status' });
    const paths = ['a b.txt', 'ä.txt', '测试.md'];
    expect(metadata).toMatchObject({
      branch: 'main',
      detached: false,
      is_worktree: false,
      is_dirty: true,
      dirty_count: 3,
      entries: paths.map((path) => ({ path, index: '?', worktree: '?' })),
    });
    for (const path of paths) expect(output).toContain(`?? ${path}\n`);
    expect((await repository.git({ command: 'add', paths })).metadata).toMatchObject({
      staged_count: 3,
    });
  });

  it('GIT-003 rename whose name contains ` -> `', async () => {
    repository.commit('arrow', { 'a -> b.txt': 'some text\n' });
    repository.own('mv', 'a -> b.txt', 'c -> d.txt');
    const { metadata } = await repository.git({ command: 'status' });
    expect(metadata['entries']).toEqual([
      { path: 'c -> d.txt', original_path: 'a -> b.txt', index: 'R', worktree: '.' },
    ]);
  });

  it('GIT-006 detached HEAD', async () => {
    const first = repository.own('rev-parse', 'HEAD').trim();
    repository.commit('second', { 'a.txt': 'two\n' });
    repository.own('checkout', '-q', '--detach', 'HEAD~1');
    const { metadata, output } = await repository.git({ command: 'status' });
    expect(metadata).toMatchObject({
      branch: null,
      detached: true,
      commit: first,
      is_dirty: false,
    });
    expect(output).toBe(`detached at ${first.slice(0, 10)}\nclean\n`);
    const { metadata: branches } = await repository.git({ command: 'branch' });
    expect(branches['entries']).toMatchObject([{ name: 'main', current: false }]);
  });

  it('GIT-015 `.git` as a file (worktree, submodule)', async () => {
    repository.own('worktree', 'add', '-q', 'wt');
    repository.write('wt/new.txt', 'x');
    const within = await openSession([gitTool()]);
    renameSync(within.root, `${within.root}-unused`);
    rmSync(`${within.root}-unused`, { recursive: true });
    repository.own('worktree', 'move', 'wt', within.root);
    const result = await within.session.tool('git', { command: 'status' });
    expect(result.metadata).toMatchObject({
      branch: 'wt',
      is_worktree: true,
      entries: [{ path: 'new.txt', index: '?' }],
    });
    repository.own('worktree', 'remove', '--force', within.root);
    await within.close();

    const inner = join(repository.base, 'inner');
    mkdirSync(inner);
    execFileSync('git', ['init', '-q'], { cwd: inner });
    writeFileSync(join(inner, 'tracked.txt'), 'x');
    repository.own('-C', inner, 'add', '.');
    repository.own('-C', inner, 'commit', '-qm', 'x');
    repository.own('-c', 'protocol.file.allow=always', 'submodule', '-q', 'add', inner, 'sub');
    repository.own('commit', '-qm', 'submodule');
    repository.write('sub/tracked.txt', 'changed');
    expect((await repository.git({ command: 'status' })).metadata['entries']).toEqual([
      { path: 'sub', index: '.', worktree: 'M', submodule: 'S.M.' },
    ]);
    expect((await repository.git({ command: 'status' })).output).toContain(
      '(submodule: modified content)',
    );
  });

  it('tells of a repository without a commit', async () => {
    rmSync(join(repository.root, '.git'), { recursive: true });
    repository.own('init', '-q', '-b', 'main');
    expect((await repository.git({ command: 'status' })).metadata).toMatchObject({
      branch: 'main',
      commit: null,
    });
    expect(await repository.git({ command: 'log' })).toMatchObject({
      output: 'no commits\n',
      error: null,
    });
    expect((await repository.git({ command: 'show' })).error).toMatchObject({
      reason: 'unknown_revision',
    });
  });

  it('says where there is no repository, and whose it is', async () => {
    rmSync(join(repository.root, '.git'), { recursive: true });
    expect((await repository.git({ command: 'status' })).error).toMatchObject({
      type: 'not_found',
      reason: 'not_a_repository',
    });
    const name = 'GIT_TEST_ASSUME_DIFFERENT_OWNER';
    process.env[name] = '1';
    const foreign = await openSession([gitTool()], { processes: { allowEnv: [name] } });
    execFileSync('git', ['init', '-q'], { cwd: foreign.root });
    expect((await foreign.session.tool('git', { command: 'status' })).error).toMatchObject({
      type: 'permission_denied',
      reason: 'dubious_ownership',
    });
    delete process.env[name];
    await foreign.close();
  });
});
