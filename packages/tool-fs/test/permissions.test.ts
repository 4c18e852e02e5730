import { chmod, chown, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openProject, type Project } from './open-project.ts';
import { asOrdinaryUser, ordinaryUser } from '../../../test-support/ordinary-user.ts';

const refused = { type: 'permission_denied', reason: 'system' };

/** A project that belongs to the ordinary user, who can reach it. */
async function openTheirs(
  files: Readonly<Record<string, string>>,
  modes: Readonly<Record<string, number>>,
): Promise<Project> {
  const project = await openProject({ files });
  await chmod(dirname(project.root), 0o755);
  const isRoot = process.geteuid?.() === 0;
  const paths = ['', ...Object.keys(files), ...Object.keys(modes)];
  for (const path of paths) {
    if (isRoot) await chown(join(project.root, path), ordinaryUser, ordinaryUser);
  }
  for (const [path, mode] of Object.entries(modes)) await chmod(join(project.root, path), mode);
  onTestFinished(async () => {
    for (const path of Object.keys(modes)) await chmod(join(project.root, path), 0o755);
  });
  return project;
}

test('LS-001: a directory that may be listed but not entered is listed, alone and from above', async () => {
  const files = { 'real.txt': 'text', 'dir444/a.txt': 'a', 'dir000/b.txt': 'b' };
  const project = await openTheirs(files, { dir444: 0o444, dir000: 0 });
  await asOrdinaryUser(async () => {
    const inside = await project.call('ls', { path: 'dir444' });
    expect(inside).toMatchObject({ error: null, output: 'dir444/a.txt\n' });
    const all = await project.call('ls', { depth: 2 });
    expect(all.metadata['entries']).toEqual([
      {
        path: 'dir000',
        kind: 'directory',
        not_listed: expect.stringContaining('does not permit access'),
      },
      { path: 'dir444', kind: 'directory' },
      { path: 'dir444/a.txt', kind: 'file' },
      { path: 'real.txt', kind: 'file', size: 4 },
    ]);
    for (const path of ['dir444/a.txt', 'dir000/b.txt']) {
      expect((await project.call('read', { file_path: path })).error).toMatchObject(refused);
    }
  });
});

test('a file that its permissions close to the writer is not replaced, and its owner stays', async () => {
  const project = await openTheirs({ 'ro.txt': 'a\n', 'more.txt': 'a\n' }, { 'ro.txt': 0o444 });
  await writeFile(join(project.root, 'others.txt'), 'a\n', { mode: 0o644 });
  const isRoot = process.geteuid?.() === 0;
  const closed = ['ro.txt', ...(isRoot ? ['others.txt'] : [])];
  await asOrdinaryUser(async () => {
    for (const path of closed) {
      const calls = [
        ['write', { file_path: path, content: 'z' }],
        ['edit', { file_path: path, old_string: 'a', new_string: 'z' }],
        ['patch', { diff: '@@ -1 +1 @@\n-a\n+z\n', file_path: path }],
      ] as const;
      for (const [tool, args] of calls) {
        expect((await project.call(tool, args)).error).toMatchObject(refused);
      }
    }
    const both = '--- a/more.txt\n+++ b/more.txt\n@@ -1 +1 @@\n-a\n+b\n';
    const patch = await project.call('patch', { diff: both + both.replaceAll('more', 'ro') });
    expect(patch.error).toMatchObject(refused);
  });
  expect(await project.names()).toEqual(['more.txt', 'others.txt', 'ro.txt']);
  for (const name of await project.names()) {
    expect(await readFile(join(project.root, name), 'utf8')).toBe('a\n');
  }
  expect((await stat(join(project.root, 'ro.txt'))).mode & 0o777).toBe(0o444);
  expect((await stat(join(project.root, 'others.txt'))).uid).toBe(process.getuid?.());
});
