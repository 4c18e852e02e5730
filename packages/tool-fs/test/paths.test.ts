import { lstat, mkdir, readdir, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHost } from '@toolwright/core';
import { localWorkspace } from '@toolwright/workspace-local';
import { expect, test } from 'vitest';
import { fs } from '../src/index.ts';
import { openProject } from './open-project.ts';

const outside = { type: 'permission_denied', reason: 'outside_workspace' };

test('PATH-001: a sibling with the same prefix is outside', async () => {
  const project = await openProject({ files: { 'a.txt': 'a\n' } });
  await mkdir(`${project.root}-evil`);
  await writeFile(`${project.root}-evil/s.txt`, 'secret\n');
  for (const path of ['../root-evil/s.txt', `${project.root}-evil/s.txt`]) {
    expect((await project.call('read', { file_path: path })).error).toMatchObject(outside);
    const write = await project.call('write', { file_path: path, content: 'x' });
    expect(write.error).toMatchObject(outside);
  }
  const slash = await createHost({ providers: [fs()] }).open({
    workspace: localWorkspace(`${project.root}/`),
  });
  const inside = await slash.tool('read', { file_path: join(project.root, 'a.txt') });
  expect(inside.metadata['file_path']).toBe('a.txt');
  await slash.close();
  const root = await createHost({ providers: [fs()] }).open({ workspace: localWorkspace('/') });
  expect((await root.tool('read', { file_path: '/etc/hostname' })).error).toBeNull();
  await root.close();
});

test('PATH-002, PATH-003: nothing is made below a link that leaves the root', async () => {
  const project = await openProject({ links: { link: '../outside' } });
  for (const path of ['link/new.txt', 'link/a/b/c.txt']) {
    const result = await project.call('write', { file_path: path, content: 'x' });
    expect(result.error).toMatchObject(outside);
  }
  expect(await readdir(project.outside)).toEqual([]);
});

test('PATH-004: a dangling link is not followed by a write', async () => {
  const project = await openProject({ links: { 'out.txt': '../outside/created.txt' } });
  const result = await project.call('write', { file_path: 'out.txt', content: 'x' });
  expect(result.error).toMatchObject(outside);
  expect(await readdir(project.outside)).toEqual([]);
  expect(await readlink(join(project.root, 'out.txt'))).toBe('../outside/created.txt');
});

test('PATH-005: what a path with .. after a link means is what is written', async () => {
  const project = await openProject({ directories: ['deep/dir'], links: { link: 'deep/dir' } });
  const result = await project.call('write', { file_path: 'link/../x.txt', content: 'x' });
  expect(result.error).toBeNull();
  expect(result.metadata['file_path']).toBe('deep/x.txt');
  expect(await project.text('deep/x.txt')).toBe('x');
});

test('a write through a link inside lands in the target, and the link stays', async () => {
  const project = await openProject({ files: { real: 'old\n' }, links: { link: 'real' } });
  const write = await project.call('write', { file_path: 'link', content: 'new\n' });
  expect(write.metadata['file_path']).toBe('real');
  await project.call('edit', { file_path: 'link', old_string: 'new', new_string: 'newer' });
  expect(await project.text('real')).toBe('newer\n');
  expect((await lstat(join(project.root, 'link'))).isSymbolicLink()).toBe(true);
});

test('PATH-009: credential files are closed in any spelling', async () => {
  const project = await openProject({ files: { '.Env': 'KEY=1\n', '.env.local': 'KEY=2\n' } });
  for (const path of ['.Env', '.env.local']) {
    expect((await project.call('read', { file_path: path })).error).toMatchObject({
      type: 'permission_denied',
      reason: 'credential',
    });
  }
  const write = await project.call('write', { file_path: 'sub/.ENV', content: 'x' });
  expect(write.error).toMatchObject({ type: 'permission_denied', reason: 'credential' });
  const ignore = await project.call('write', { file_path: '.gitignore', content: 'x\n' });
  expect(ignore.error).toBeNull();
});

test('PATH-009: a deny rule holds for any spelling of a name', async () => {
  const project = await openProject();
  const session = await createHost({
    providers: [fs()],
    policy: {
      rules: [
        { effect: 'write', target: '.git/**', decision: 'deny' },
        { tool: 'write', decision: 'allow' },
      ],
    },
  }).open({ workspace: localWorkspace(project.root) });
  const config = await session.invoke({
    name: 'write',
    arguments: { file_path: '.GIT/config', content: 'x' },
  });
  expect(config.error).toMatchObject({ type: 'permission_denied' });
  const ignore = await session.invoke({
    name: 'write',
    arguments: { file_path: '.gitignore', content: 'x\n' },
  });
  expect(ignore.error).toBeNull();
  expect(await project.names()).toEqual(['.gitignore']);
  await session.close();
});

test('bad paths are told apart', async () => {
  const project = await openProject({ directories: ['d'] });
  for (const tool of ['read', 'edit', 'write'] as const) {
    const rest = {
      read: {},
      edit: { old_string: 'a', new_string: 'b' },
      write: { content: 'x' },
    }[tool];
    const call = async (path: string) =>
      (await project.call(tool, { file_path: path, ...rest })).error;
    expect(await call('a\u0000b')).toMatchObject({ type: 'invalid_argument' });
    expect(await call('   ')).toMatchObject({ type: 'invalid_argument' });
    expect(await call('d')).toMatchObject({ type: 'invalid_argument', reason: 'not_a_file' });
  }
  const missing = await project.call('read', { file_path: 'nope' });
  expect(missing.error).toMatchObject({ type: 'not_found' });
});

test('a path that ends in a slash means a directory, and no file is made or changed under it', async () => {
  const project = await openProject({ files: { f: 'a\n' }, directories: ['d'] });
  for (const path of ['new/', 'new/.', 'd/new/']) {
    for (const dryRun of [true, false]) {
      const write = await project.call('write', { file_path: path, content: 'x', dry_run: dryRun });
      expect(write.error).toMatchObject({ type: 'invalid_argument', reason: 'not_a_file' });
    }
  }
  for (const path of ['f/', 'f/.', `${project.root}/f/`]) {
    const through = { type: 'invalid_argument', reason: 'not_a_directory' };
    expect((await project.call('read', { file_path: path })).error).toMatchObject(through);
    const write = await project.call('write', { file_path: path, content: 'x' });
    expect(write.error).toMatchObject(through);
  }
  expect((await project.call('ls', { path: 'd/' })).error).toBeNull();
  expect(await project.names()).toEqual(['d', 'f']);
  expect(await project.names('d')).toEqual([]);
  expect(await project.text('f')).toBe('a\n');
});

test('names that no file can have are refused: half a surrogate pair, and too many bytes', async () => {
  const project = await openProject();
  const names = ['x\ud83d', 'a/\ude00b', 'n'.repeat(300)];
  // A path that is missing from its first name on is too long only for what would make it.
  const long = `${`${'y'.repeat(200)}/`.repeat(30)}f`;
  const calls = [
    ...names.map((path) => ['read', { file_path: path }] as const),
    ...[...names, long].map((path) => ['write', { file_path: path, content: 'x' }] as const),
  ];
  for (const [tool, args] of calls) {
    const { error } = await project.call(tool, args);
    expect(error).toMatchObject({ type: 'invalid_argument', reason: 'bad_path' });
    expect(error?.message).not.toContain(project.root);
  }
  expect(await project.names()).toEqual([]);
});

test('kept outputs are not written, names that look like other schemes are names', async () => {
  const project = await openProject();
  const uri = `a3s://tool-output/bash/${'0'.repeat(64)}`;
  for (const [tool, rest] of [
    ['write', { content: 'x' }],
    ['write', { content: 'x', mode: 'append', expected_offset: 0 }],
    ['edit', { old_string: 'a', new_string: 'b' }],
  ] as const) {
    const { error } = await project.call(tool, { file_path: uri, ...rest });
    expect(error).toMatchObject({ type: 'invalid_argument', reason: 'not_a_file' });
  }
  for (const path of ['a:b', 'C:\\x', 'mailto:x']) {
    expect((await project.call('write', { file_path: path, content: 'x' })).error).toBeNull();
  }
  expect(await project.names()).toEqual(['C:\\x', 'a:b', 'mailto:x']);
});

test('names that look like globs are names', async () => {
  const project = await openProject({ files: { 'app/[id]/page.tsx': 'a\n', 'a{b}.txt': 'b\n' } });
  for (const path of ['app/[id]/page.tsx', 'a{b}.txt']) {
    expect((await project.call('read', { file_path: path })).error).toBeNull();
    const edit = await project.call('edit', {
      file_path: path,
      old_string: '\n',
      new_string: '!\n',
    });
    expect(edit.error).toBeNull();
    expect(edit.metadata['file_path']).toBe(path);
  }
  const listed = await project.call('ls', { path: 'app/[id]' });
  expect(listed.output).toBe('app/[id]/page.tsx\t[3 bytes]\n');
  await symlink('[id]', join(project.root, 'app/link'));
  const linked = await project.call('read', { file_path: 'app/link/page.tsx' });
  expect(linked.metadata['file_path']).toBe('app/[id]/page.tsx');
});
