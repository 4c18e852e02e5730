import type { JsonObject } from '@toolwright/core';
import { describe, expect, it } from 'vitest';
import { pagingOf, useRepository } from './repository-fixture.ts';

const repository = useRepository();

describe('log', () => {
  it('pages stably while commits are added', async () => {
    for (let i = 2; i <= 7; i += 1) repository.commit(`commit ${i}`, { 'a.txt': `${i}\n` });
    const first = await repository.git({ command: 'log', limit: 3 });
    expect(first.metadata['page']).toMatchObject({ offset: 0, returned_items: 3, truncated: true });
    repository.commit('newer', { 'a.txt': 'newer\n' });
    const subjects: unknown[] = [];
    for (let result = first; ;) {
      const { next, entries } = pagingOf(result);
      subjects.push(...entries.map(({ subject }) => subject));
      if (next === null) break;
      result = await repository.git({ command: 'log', limit: 3, cursor: next });
    }
    expect(subjects).toEqual([
      'commit 7',
      'commit 6',
      'commit 5',
      'commit 4',
      'commit 3',
      'commit 2',
      'first',
    ]);
    expect(first.metadata['entries']).toEqual([
      expect.objectContaining({ subject: 'commit 7', author: 'A U Thor <a@example.com>' }),
      expect.anything(),
      expect.anything(),
    ]);
    expect(
      (await repository.git({ command: 'log', ref: 'main', cursor: String(pagingOf(first).next) }))
        .error,
    ).toMatchObject({
      reason: 'bad_cursor',
    });
    expect((await repository.git({ command: 'log', cursor: 'x' })).error).toMatchObject({
      reason: 'bad_cursor',
    });
  });

  it('narrows by literal paths and ranges', async () => {
    repository.commit('star', { '*.txt': 'star\n' });
    repository.commit('dir', { 'src/b.txt': 'b\n' });
    const subjects = async (input: JsonObject): Promise<unknown> =>
      pagingOf(await repository.git({ command: 'log', ...input })).entries.map(
        ({ subject }) => subject,
      );
    expect(await subjects({ paths: ['*.txt'] })).toEqual(['star']);
    expect(await subjects({ path: 'src' })).toEqual(['dir']);
    expect((await repository.git({ command: 'log', path: ':(exclude)src' })).error).toMatchObject({
      type: 'not_found',
    });
    expect(await subjects({ base: 'HEAD~1' })).toEqual(['dir']);
    const calls = ['../x', 'src/../../x', '/etc/passwd'].map((path) => ({ command: 'log', path }));
    expect(await repository.errors(calls)).toEqual(
      calls.map((call) => ({ call, reason: 'outside_workspace' })),
    );
  });

  it('keeps subjects whole and escapes what breaks a line', async () => {
    repository.own('commit', '-q', '--allow-empty', '-m', 'tab\tand | \u202e pipe\n\nbody');
    const { output, metadata } = await repository.git({ command: 'log', limit: 1 });
    expect(metadata['entries']).toMatchObject([{ subject: 'tab\tand | \u202e pipe' }]);
    expect(output.split('\n')[0]).toContain('"tab\\tand | \\u202e pipe"');
  });
});
