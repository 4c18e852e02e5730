import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ToolError, type WalkOptions } from '@toolwright/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LocalPaths } from '../../src/files/local-paths.ts';
import { LocalWalker } from '../../src/walk/local-walker.ts';
import { asOrdinaryUser } from '../../../../test-support/ordinary-user.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'walker-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const put = (...files: readonly string[]) => {
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), 'K');
  }
};

const walk = async (options: WalkOptions = {}, directory = root) => {
  const paths: string[] = [];
  for await (const batch of new LocalWalker(new LocalPaths(directory)).walk(options)) {
    paths.push(...batch.map(({ path }) => path));
  }
  return paths;
};

describe('walk', () => {
  test('tells whole paths in the order of their bytes', async () => {
    put('a/x', 'a-b', 'a.txt', 'a/b/c', 'é', '\u{1F600}', '\uFFFDx', 'Z');
    expect(await walk()).toEqual([
      'Z',
      'a-b',
      'a.txt',
      'a/b/c',
      'a/x',
      'é',
      '\uFFFDx',
      '\u{1F600}',
    ]);
    expect(await walk({ directories: true, path: 'a' })).toEqual(['a/b', 'a/b/c', 'a/x']);
    expect(await walk({ maxDepth: 1, directories: true })).toContain('a');
    expect(await walk({ maxDepth: 1 })).not.toContain('a/x');
  });

  test('tells of directories that it may not list, but of none that the glob leaves out', async () => {
    put('a/x.ts', 'b/closed/y.ts', 'c/closed/z.ts', 'd.ts');
    chmodSync(root, 0o755);
    for (const path of ['b/closed', 'c/closed']) chmodSync(join(root, path), 0);
    const told = async (options: WalkOptions) => {
      const unread: unknown[] = [];
      const paths = await asOrdinaryUser(async () =>
        walk({ ...options, onUnread: (each) => unread.push(each) }),
      );
      return { paths, unread };
    };
    const [b, c] = ['b', 'c'].map((top) => ({ path: `${top}/closed`, reason: 'permission' }));
    expect(await told({ include: '*.ts' })).toEqual({ paths: ['a/x.ts', 'd.ts'], unread: [b, c] });
    expect(await told({ include: 'c/**' })).toEqual({ paths: [], unread: [c] });
    expect(await told({ path: 'b' })).toEqual({ paths: [], unread: [b] });
    await expect(told({ path: 'b/closed' })).rejects.toMatchObject({ type: 'permission_denied' });
  });

  test('GREP-023: a trailing slash means directories, at any depth', async () => {
    put(
      'pkg/build/o.js',
      'pkg/tools/build/o.js',
      'pkg/x/y/build/o.js',
      'build/o.js',
      'pkg/z/build',
    );
    writeFileSync(join(root, 'pkg/.gitignore'), 'build/\n');
    expect(await walk({ hidden: false })).toEqual(['build/o.js', 'pkg/z/build']);
  });

  test('GREP-024: anchored, double-star and escaped rules of a nested file, from every start', async () => {
    put(
      'foo/a.txt',
      'foo/x/a.txt',
      'a.txt',
      'foo/b.txt',
      'foo/x/b.txt',
      'b.txt',
      'foo/!c.txt',
      'foo/c.txt',
    );
    writeFileSync(join(root, 'foo/.gitignore'), '/a.txt\n**/b.txt\n\\!c.txt\n');
    expect(await walk({ hidden: false })).toEqual(['a.txt', 'b.txt', 'foo/c.txt', 'foo/x/a.txt']);
    expect(await walk({ hidden: false, path: 'foo' })).toEqual(['foo/c.txt', 'foo/x/a.txt']);
    expect(await walk({ path: 'foo/x' })).toEqual(['foo/x/a.txt']);
  });

  test('GREP-013 and GREP-015: re-included directories, and rules relative to their own directory', async () => {
    put('foo/bar', 'foo/fab', 'sub/out/x', 'out/x', 'sub/d/a.tmp', 'sub/keep.tmp', 'a.tmp');
    writeFileSync(join(root, '.gitignore'), 'f*\n!foo\n');
    writeFileSync(join(root, 'sub/.gitignore'), '/out\n*.tmp\n!keep.tmp\n');
    expect(await walk({ hidden: false })).toEqual(['a.tmp', 'foo/bar', 'out/x', 'sub/keep.tmp']);
    expect(await walk({ hidden: false, ignore: false })).toHaveLength(7);
  });

  test('rules of the repository above the root hold, and a nested repository has its own', async () => {
    execFileSync('git', ['init', '-q'], { cwd: root });
    put('ws/a.log', 'ws/b.txt', 'ws/nested/a.log', 'ws/nested/c.tmp', 'ws/.git-not/x');
    writeFileSync(join(root, '.gitignore'), '*.log\n');
    execFileSync('git', ['init', '-q'], { cwd: join(root, 'ws/nested') });
    writeFileSync(join(root, 'ws/nested/.git/info/exclude'), '*.tmp\n');
    expect(await walk({}, join(root, 'ws'))).toEqual(['.git-not/x', 'b.txt', 'nested/a.log']);
  });

  test('.git is never entered, in any spelling, and links are told but not followed', async () => {
    put('.git/config', '.GIT/config', 'sub/.git/x', 'd/a');
    symlinkSync('d', join(root, 'link'));
    symlinkSync('nowhere', join(root, 'broken'));
    expect(await walk({ ignore: false })).toEqual(['broken', 'd/a', 'link']);
  });

  test('GLOB-007: an exclude holds for names with a leading dot', async () => {
    put('node_modules/p/.npmignore', 'src/.env', 'src/a.ts');
    expect(await walk({ include: '**', exclude: 'node_modules/**' })).toEqual([
      'src/.env',
      'src/a.ts',
    ]);
  });

  test('GLOB-003: without hidden entries, a dot that the glob names is found', async () => {
    put('flat/.a', 'flat/.b', 'flat/c', 'flat/.js');
    const find = (include: string) => walk({ include, hidden: false });
    expect(await find('flat/{.a,.b}')).toEqual(['flat/.a', 'flat/.b']);
    expect(await find('flat/{c,.a}')).toEqual(['flat/.a', 'flat/c']);
    expect(await find('flat/[.]a')).toEqual([]);
    expect(await find('flat/{*.js,x}')).toEqual([]);
  });

  test('globs are relative to where the walk begins', async () => {
    put('src/app/a.ts', 'src/b.ts', 'app/c.ts');
    expect(await walk({ path: 'src', include: '/*.ts' })).toEqual(['src/b.ts']);
    expect(await walk({ path: 'src', include: 'app/*' })).toEqual(['src/app/a.ts']);
  });

  test('an aborted walk ends with the reason', async () => {
    put('a');
    await expect(walk({ signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
  });

  test('a bad glob, a missing path and a file in its place are typed errors', async () => {
    put('a');
    const typeOf = async (options: WalkOptions) => {
      const error: unknown = await walk(options).catch((thrown: unknown) => thrown);
      return ToolError.isInstance(error) ? `${error.type}/${error.reason}` : error;
    };
    expect(await typeOf({ include: '../x' })).toBe('invalid_argument/bad_glob');
    expect(await typeOf({ path: 'missing' })).toMatch(/^not_found/);
    expect(await typeOf({ path: 'a' })).toBe('invalid_argument/not_a_directory');
    expect(await typeOf({ path: '../..' })).toBe('permission_denied/outside_workspace');
  });
});

test('isIgnored judges files and directories, and what lies below an ignored one', async () => {
  put('dist/a', 'src/x.log', 'src/y');
  writeFileSync(join(root, '.gitignore'), 'dist/\n*.log\n');
  const walker = new LocalWalker(new LocalPaths(root));
  const verdicts = await Promise.all(
    ['dist', 'dist/a', 'src/x.log', 'src/y', 'src', ''].map((path) => walker.isIgnored(path)),
  );
  expect(verdicts).toEqual([true, true, true, false, false, false]);
});
