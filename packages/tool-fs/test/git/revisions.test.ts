import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@toolwright/core';
import { describe, expect, it } from 'vitest';
import { useRepository } from './repository-fixture.ts';

const repository = useRepository();

describe('revisions', () => {
  it('GIT-007 ref that begins with a dash', async () => {
    const outside = join(repository.base, 'pwn.txt');
    const calls: JsonObject[] = [
      { command: 'log', ref: `--output=${outside}` },
      { command: 'log', ref: `main..--output=${outside}` },
      { command: 'log', ref: '^--all' },
      { command: 'diff', base: '--no-index' },
      { command: 'diff', target: `--output=${outside}` },
      { command: 'show', ref: '-p' },
      { command: 'show', ref: `--output=${outside}` },
      { command: 'blame', path: 'a.txt', ref: '--contents=/etc/passwd' },
      { command: 'checkout', ref: '--orphan' },
      { command: 'branch', name: 'x', base: '--force' },
      { command: 'worktree', subcommand: 'create', name: 'x', base: '-f' },
      { command: 'log', ref: 'a\0b' },
      { command: 'log', ref: ' ' },
    ];
    expect(await repository.errors(calls)).toEqual(
      calls.map((call) => ({ call, reason: 'bad_ref' })),
    );
    const names = ['--force', '-d', 'a..b', 'a b', 'a.lock', 'HEAD', '@{-1}', 'x\n'].map(
      (name) => ({ command: 'branch', name }),
    );
    expect(await repository.errors(names)).toEqual(
      names.map((call) => ({ call, reason: 'bad_branch_name' })),
    );
    expect(existsSync(outside)).toBe(false);
    repository.own('branch', 'dev');
    repository.own('tag', '-am', 'tag', 'v1.0');
    repository.commit('second', { 'a.txt': 'two\n' });
    const good = ['main', 'HEAD~1', 'v1.0^{}', 'dev..main', 'HEAD^', 'main@{0}', ':/first'].map(
      (ref) => ({ command: 'log', ref }),
    );
    expect(await repository.errors(good)).toEqual(good.map((call) => ({ call, reason: null })));
  });

  it('GIT-008 evil ref that really exists', async () => {
    const id = repository.own('rev-parse', 'HEAD').trim();
    writeFileSync(join(repository.root, '.git/refs/heads/--format=x'), `${id}\n`);
    for (const command of ['log', 'show', 'checkout']) {
      expect((await repository.git({ command, ref: '--format=x' })).error).toMatchObject({
        reason: 'bad_ref',
      });
    }
    const { metadata, error } = await repository.git({ command: 'branch' });
    expect(error).toBe(null);
    expect(metadata['entries']).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'main' })]),
    );
    expect((await repository.git({ command: 'status' })).error).toBe(null);
  });

  it('that do not exist are named', async () => {
    const calls: JsonObject[] = [
      { command: 'log', ref: 'nowhere' },
      { command: 'log', ref: 'main..nowhere' },
      { command: 'show', ref: 'nowhere' },
      { command: 'checkout', ref: 'nowhere' },
      { command: 'checkout', ref: 'a.txt' },
      { command: 'blame', path: 'a.txt', ref: 'nowhere' },
    ];
    expect(await repository.errors(calls)).toEqual(
      calls.map((call) => ({ call, reason: 'unknown_revision' })),
    );
  });
});
