import { chmod, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { createHost, memoryWorkspace } from '@toolwright/core';
import type { JsonObject, JsonValue, ToolResult } from '@toolwright/core';
import { expect, test } from 'vitest';
import { fs } from '../../src/index.ts';
import { openProject } from '../open-project.ts';

const entriesOf = (result: ToolResult): readonly JsonObject[] => {
  expect(result.error).toBeNull();
  // The tool's own metadata, whose shape the tests of this file hold.
  return result.metadata['entries'] as readonly JsonObject[];
};

const pageOf = (result: ToolResult): Record<string, JsonValue> => ({
  ...(result.metadata['page'] as object),
});

test('LS-001: dangling links and links to themselves are listed, with their kinds', async () => {
  const project = await openProject({
    files: { 'real.txt': 'text', 'dir444/a.txt': 'a' },
    directories: ['sub'],
    links: { broken: '/nonexistent', loop: 'loop', inside: 'real.txt' },
  });
  await chmod(join(project.root, 'dir444'), 0o444);
  try {
    const result = await project.call('ls', {});
    expect(entriesOf(result)).toMatchObject([
      { path: 'broken', kind: 'symlink', link_target: '/nonexistent', unreachable: true },
      { path: 'dir444', kind: 'directory' },
      { path: 'inside', kind: 'symlink', link_target: 'real.txt' },
      { path: 'loop', kind: 'symlink', link_target: 'loop', unreachable: true },
      { path: 'real.txt', kind: 'file', size: 4 },
      { path: 'sub', kind: 'directory' },
    ]);
    expect(entriesOf(result)[2]).not.toHaveProperty('unreachable');
    expect(result.output).toBe(
      [
        'broken -> /nonexistent\t[link is broken or leaves the workspace]',
        'dir444/',
        'inside -> real.txt',
        'loop -> loop\t[link is broken or leaves the workspace]',
        'real.txt\t[4 bytes]',
        'sub/',
        '',
      ].join('\n'),
    );
    // An ordinary user may not look into it: an error or its entries, and never an empty listing.
    const inner = await project.call('ls', { path: 'dir444' });
    expect(inner.error !== null || inner.output.includes('a.txt')).toBe(true);
    const deep = await project.call('ls', { depth: 2 });
    expect(deep.error).toBeNull();
    expect(deep.output).toContain('real.txt');
    expect(deep.output).toMatch(/dir444\/\t\[not listed|dir444\/a\.txt/);
  } finally {
    await chmod(join(project.root, 'dir444'), 0o755);
  }
});

test('PATH-007: a link out of the workspace is listed by name and nothing of it is told', async () => {
  const project = await openProject({ links: { 'link.txt': '../outside/secret.txt' } });
  await writeFile(join(project.outside, 'secret.txt'), 'TOKEN');
  const result = await project.call('ls', {});
  expect(entriesOf(result)).toMatchObject([
    { path: 'link.txt', kind: 'symlink', unreachable: true },
  ]);
  expect(JSON.stringify(result)).not.toContain('TOKEN');
  expect(entriesOf(result)[0]).not.toHaveProperty('size');
});

test('PATH-011: odd names are listed without a doubt and can be read', async () => {
  const names = ['-rf', 'a b', 'a\nb', '😀.txt', '"quoted"', 'a\\nb', 'bidi\u202etxt', ' lead'];
  const project = await openProject({
    files: Object.fromEntries(names.map((name) => [name, `${name}!`])),
  });
  const result = await project.call('ls', {});
  const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect(entriesOf(result).map((entry) => entry['path'])).toEqual(sorted);
  const shown = result.output
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0]);
  expect(shown).toHaveLength(names.length);
  expect(new Set(shown).size).toBe(names.length);
  expect(shown).toContain(String.raw`"a\nb"`);
  expect(shown).toContain(String.raw`a\nb`);
  expect(shown).toContain(String.raw`"\"quoted\""`);
  expect(shown).toContain(String.raw`"bidi\u202etxt"`);
  for (const name of names) {
    const read = await project.call('read', { file_path: name });
    expect(read.metadata['file_path']).toBe(name);
    expect(await project.session.readFile(name)).toBe(`${name}!`);
  }
});

test('special files are listed by kind', async () => {
  const project = await openProject();
  execFileSync('mkfifo', [join(project.root, 'pipe')]);
  const result = await project.call('ls', {});
  expect(result.output).toBe('pipe\t[fifo]\n');
});

test('levels, hidden names, and .git that is shown and not entered', async () => {
  const project = await openProject({
    files: { 'a/b/c.txt': '', 'a/x.txt': '', '.git/config': '', '.hidden/y': '', 'a-b': '' },
  });
  const paths = async (args: JsonObject) =>
    entriesOf(await project.call('ls', args)).map((entry) => entry['path']);
  expect(await paths({})).toEqual(['.git', '.hidden', 'a', 'a-b']);
  expect(await paths({ depth: 2, hidden: false })).toEqual(['a', 'a/b', 'a/x.txt', 'a-b']);
  expect(await paths({ depth: 8 })).toEqual([
    '.git',
    '.hidden',
    '.hidden/y',
    'a',
    'a/b',
    'a/b/c.txt',
    'a/x.txt',
    'a-b',
  ]);
  expect(await paths({ path: 'a', depth: 2 })).toEqual(['a/b', 'a/b/c.txt', 'a/x.txt']);
  expect(await paths({ path: './a/' })).toEqual(['a/b', 'a/x.txt']);
  expect(await paths({ path: project.root })).toEqual(['.git', '.hidden', 'a', 'a-b']);
});

test('what git ignores is marked, or left out', async () => {
  const project = await openProject({
    files: { '.gitignore': 'out/\n*.log\n', 'out/x': '', 'a.log': '', 'a.ts': '' },
    directories: ['.git'],
  });
  const marked = await project.call('ls', {});
  expect(entriesOf(marked).filter((entry) => entry['ignored'] === true)).toMatchObject([
    { path: 'a.log' },
    { path: 'out' },
  ]);
  expect(marked.output).toContain('out/\t[ignored]\n');
  const left = await project.call('ls', { ignore: true, depth: 2 });
  expect(entriesOf(left).map((entry) => entry['path'])).toEqual(['.git', '.gitignore', 'a.ts']);
});

test('pages together are the whole listing, at any depth and size', async () => {
  const files: Record<string, string> = {};
  for (const directory of ['', 'd/', 'd/e/', 'd-x/', 'z/']) {
    for (let index = 0; index < 7; index += 1) files[`${directory}f${index}`] = 'x';
  }
  const session = await createHost({ providers: [fs()] }).open({
    workspace: memoryWorkspace({ files }),
  });
  for (const depth of [1, 2, 3]) {
    const whole = entriesOf(await session.tool('ls', { depth, limit: 1_000 }));
    for (const limit of [1, 3, 10]) {
      const found: JsonObject[] = [];
      let cursor: JsonValue = null;
      do {
        const result = await session.tool('ls', {
          depth,
          limit,
          ...(cursor === null ? {} : { cursor }),
        });
        const page = pageOf(result);
        expect(page).toMatchObject({ offset: found.length, applied_limit: limit });
        found.push(...entriesOf(result));
        expect(page['truncated']).toBe(page['next_cursor'] !== null);
        cursor = page['next_cursor'] ?? null;
      } while (cursor !== null);
      expect(found).toEqual(whole);
    }
  }
  await session.close();
});

test('a page ends before its metadata or its text become too large', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 900 }, (_, index) => [`${'n'.repeat(180)}${index}`, '']),
  );
  const session = await createHost({ providers: [fs()] }).open({
    workspace: memoryWorkspace({ files }),
  });
  let count = 0;
  let cursor: JsonValue = null;
  do {
    const result = await session.tool('ls', {
      limit: 1_000,
      ...(cursor === null ? {} : { cursor }),
    });
    expect(JSON.stringify(result.metadata['entries']).length).toBeLessThan(60_000);
    expect(result.output).toMatch(cursor === null ? /more follow/ : /n0\t|n\d+/);
    count += entriesOf(result).length;
    cursor = pageOf(result)['next_cursor'] ?? null;
  } while (cursor !== null);
  expect(count).toBe(900);
  await session.close();
});

test('arguments: clamped limits, refused cursors, missing and wrong paths', async () => {
  const project = await openProject({ files: { 'a/x': '', 'a/y': '', f: '' } });
  const clamped = await project.call('ls', { path: 'a', limit: 5_000, depth: 99 });
  expect(pageOf(clamped)).toMatchObject({
    requested_limit: 5_000,
    applied_limit: 1_000,
    limit_clamped: true,
    total_items: 2,
  });
  const first = await project.call('ls', { path: 'a', limit: 1 });
  const cursor = pageOf(first)['next_cursor'] ?? '';
  expect((await project.call('ls', { path: '', cursor })).error).toMatchObject({
    type: 'invalid_argument',
    reason: 'bad_cursor',
  });
  for (const bad of ['x', '1.', '1.a.b', '....']) {
    expect((await project.call('ls', { path: 'a', cursor: bad })).error).toMatchObject({
      reason: 'bad_cursor',
    });
  }
  expect((await project.call('ls', { path: 'a', cursor: '', limit: 200 })).error).toBeNull();
  expect((await project.call('ls', { path: 'nope' })).error).toMatchObject({ type: 'not_found' });
  expect((await project.call('ls', { path: 'f' })).error).toMatchObject({
    type: 'invalid_argument',
    reason: 'not_a_directory',
  });
  expect((await project.call('ls', { path: '..' })).error).toMatchObject({
    type: 'permission_denied',
    reason: 'outside_workspace',
  });
});

test('a name that is no UTF-8 is listed as one that no tool can open', async () => {
  const project = await openProject({ files: { 'real\ufffd': 'a' } });
  await writeFile(Buffer.concat([Buffer.from(`${project.root}/bad`), Buffer.from([0xff])]), 'b');
  const result = await project.call('ls', {});
  expect(entriesOf(result)).toEqual([
    { path: 'bad\ufffd', kind: 'file', not_utf8: true },
    { path: 'real\ufffd', kind: 'file', size: 1 },
  ]);
  expect(result.output).toBe(
    'bad\ufffd\t[the name is no UTF-8; use bash to reach it]\nreal\ufffd\t[1 bytes]\n',
  );
});

test('others have their turn while a large page is described', async () => {
  const names = Array.from({ length: 400 }, (_, index) => `f${index}`);
  const project = await openProject({ files: Object.fromEntries(names.map((name) => [name, ''])) });
  let turns = 0;
  let ended = false;
  const count = (): void => {
    turns += 1;
    if (!ended) setTimeout(count, 0);
  };
  const listed = project.call('ls', { limit: 400 }).finally(() => {
    ended = true;
  });
  count();
  expect(entriesOf(await listed)).toHaveLength(400);
  expect(turns).toBeGreaterThan(5);
});

test('an empty directory says that it is empty', async () => {
  const project = await openProject({ directories: ['e'] });
  expect((await project.call('ls', { path: 'e' })).output).toBe('[e is empty]\n');
});
