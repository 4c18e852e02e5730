import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useRepository } from './repository-fixture.ts';

const repository = useRepository();

const denied = { type: 'permission_denied', reason: 'credential' };
const text = (path: string): string => readFileSync(join(repository.root, path), 'utf8');

it('restoring a directory leaves the credential files in it alone, and all else too', async () => {
  const commit = repository.commit('tracked', { '.env': 'KEY=old\n', 'sub/.env.local': 'old\n' });
  repository.commit('newer', { '.env': 'KEY=new\n', 'sub/.env.local': 'new\n', 'a.txt': '2\n' });
  for (const path of ['.', 'sub']) {
    for (const force of [true, false]) {
      const result = await repository.git({ command: 'checkout', ref: commit, path, force });
      expect(result.error).toMatchObject(denied);
    }
  }
  expect([text('.env'), text('sub/.env.local'), text('a.txt')]).toEqual([
    'KEY=new\n',
    'new\n',
    '2\n',
  ]);
  const one = await repository.git({ command: 'checkout', ref: commit, path: 'a.txt' });
  expect(one.error).toBeNull();
  expect(text('a.txt')).toBe('one\n');
});

it('committing a directory leaves the credential files in it uncommitted', async () => {
  repository.commit('tracked', { '.env': 'KEY=old\n' });
  repository.write('.env', 'KEY=new\n');
  repository.write('a.txt', 'two\n');
  const result = await repository.git({ command: 'commit', message: 'all', path: '.' });
  expect(result.metadata['files']).toEqual([{ status: 'M', path: 'a.txt' }]);
  expect(repository.own('status', '--porcelain')).toBe(' M .env\n');
});
