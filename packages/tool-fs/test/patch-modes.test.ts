import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openProject, type Project } from './open-project.ts';

async function withModes(modes: Readonly<Record<string, number>>): Promise<Project> {
  const files = Object.fromEntries(Object.keys(modes).map((path) => [path, `${path}\n`]));
  const project = await openProject({ files });
  for (const [path, mode] of Object.entries(modes)) chmodSync(join(project.root, path), mode);
  return project;
}

function modeOf(project: Project, path: string): number {
  return statSync(join(project.root, path)).mode & 0o7777;
}

test('a renamed file keeps all of its permissions', async () => {
  const project = await withModes({ key: 0o600, run: 0o711, 'odd.txt': 0o611 });
  const diff = ['key', 'run', 'odd.txt']
    .map((name) => `diff --git a/${name} b/to/${name}\nrename from ${name}\nrename to to/${name}\n`)
    .join('');
  expect((await project.call('patch', { diff })).error).toBeNull();
  expect(['key', 'run', 'odd.txt'].map((name) => modeOf(project, `to/${name}`))).toEqual([
    0o600, 0o711, 0o611,
  ]);
});

test('a mode in the diff changes the executable bits of a renamed file, and nothing else', async () => {
  const project = await withModes({ a: 0o640 });
  const diff = 'diff --git a/a b/b\nold mode 100644\nnew mode 100755\nrename from a\nrename to b\n';
  expect((await project.call('patch', { diff })).error).toBeNull();
  expect(modeOf(project, 'b')).toBe(0o750);
});

test('files that change places take their permissions along', async () => {
  const project = await withModes({ a: 0o600, b: 0o755 });
  const diff =
    'diff --git a/a b/b\nrename from a\nrename to b\ndiff --git a/b b/a\nrename from b\nrename to a\n';
  expect((await project.call('patch', { diff })).error).toBeNull();
  expect(await project.text('a')).toBe('b\n');
  expect([modeOf(project, 'a'), modeOf(project, 'b')]).toEqual([0o755, 0o600]);
});

test('what is put back after a deletion has the permissions that it had', async () => {
  const project = await withModes({ secret: 0o600, script: 0o711 });
  const diff = '*** Begin Patch\n*** Delete File: secret\n*** Delete File: script\n*** End Patch\n';
  await project.session.tool('patch', { diff }, { id: 'delete' });
  expect((await project.session.undo('delete')).error).toBeNull();
  expect([modeOf(project, 'secret'), modeOf(project, 'script')]).toEqual([0o600, 0o711]);
});
