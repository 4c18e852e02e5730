import type { JsonObject } from '@toolwright/core';
import { describe, expect, it } from 'vitest';
import { pagingOf, useRepository } from './repository-fixture.ts';

const repository = useRepository();

/** The names of the first page, and after a change of the repository those of all pages behind it. */
async function namesAcross(
  call: JsonObject,
  key: string,
  change: () => void,
): Promise<{ readonly first: readonly unknown[]; readonly rest: readonly unknown[] }> {
  let result = await repository.git({ ...call, limit: 2 });
  const first = pagingOf(result).entries.map((entry) => entry[key]);
  change();
  const rest: unknown[] = [];
  for (let { next } = pagingOf(result); next !== null; { next } = pagingOf(result)) {
    result = await repository.git({ ...call, limit: 2, cursor: next });
    expect(result.error).toBeNull();
    rest.push(...pagingOf(result).entries.map((entry) => entry[key]));
    expect(rest.length).toBeLessThan(20);
  }
  return { first, rest };
}

describe('pages of a list that changes between them', () => {
  it('branches go on after the last one that was told', async () => {
    for (const name of ['b', 'c', 'd']) repository.own('branch', name);
    const added = await namesAcross({ command: 'branch' }, 'name', () => {
      repository.own('branch', 'a');
    });
    expect(added).toEqual({ first: ['b', 'c'], rest: ['d', 'main'] });
    const removed = await namesAcross({ command: 'branch' }, 'name', () => {
      repository.own('branch', '-D', 'b');
    });
    expect(removed).toEqual({ first: ['a', 'b'], rest: ['c', 'd', 'main'] });
  });

  it('stashes go on after the last one that was told, which a new one pushes down', async () => {
    const stash = (message: string): void => {
      repository.write('a.txt', `${message}\n`);
      repository.own('stash', 'push', '-qm', message);
    };
    for (const message of ['1', '2', '3', '4']) stash(message);
    const found = await namesAcross({ command: 'stash' }, 'message', () => stash('5'));
    expect(found).toEqual({
      first: ['On main: 4', 'On main: 3'],
      rest: ['On main: 2', 'On main: 1'],
    });
  });

  it('remotes that say the same twice are told twice, and the pages end', async () => {
    for (let i = 0; i < 5; i += 1) {
      repository.own('config', '--add', 'remote.origin.url', 'https://example.com/x');
    }
    const found = await namesAcross({ command: 'remote' }, 'url', () => {});
    expect([...found.first, ...found.rest]).toEqual(
      Array.from({ length: 5 }, () => 'https://example.com/x'),
    );
  });

  it('worktrees page without telling where they are outside of the workspace', async () => {
    repository.own('worktree', 'add', '-q', `${repository.base}/outside`);
    repository.own('worktree', 'add', '-q', 'inside');
    const result = await repository.git({ command: 'worktree', limit: 2 });
    const decoded = String(pagingOf(result).next)
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('utf8'));
    expect(decoded.join('\n')).not.toContain(repository.base);
    const found = await namesAcross({ command: 'worktree' }, 'path', () => {});
    expect(new Set([...found.first, ...found.rest])).toEqual(new Set(['', 'inside', 'outside']));
    expect(found.first.length + found.rest.length).toBe(3);
  });

  it('a cursor of another list is refused', async () => {
    for (const name of ['b', 'c', 'd']) repository.own('branch', name);
    const { next } = pagingOf(await repository.git({ command: 'branch', limit: 1 }));
    for (const command of ['stash', 'remote', 'worktree', 'log']) {
      const { error } = await repository.git({ command, cursor: String(next) });
      expect(error).toMatchObject({ type: 'invalid_argument', reason: 'bad_cursor' });
    }
  });
});
