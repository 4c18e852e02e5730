import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exactFolding } from '../../src/policy/load-policy.ts';
import { exactPathPattern, pathMatcher } from '../../src/policy/match-path.ts';

const runs = process.env['TOOLWRIGHT_LONG'] === '1' ? 2_000 : 120;
const CHECK_IGNORE = 'check-ignore --no-index --stdin -z --verbose --non-matching'.split(' ');
let repository = '';

beforeAll(() => {
  repository = mkdtempSync(join(tmpdir(), 'policy-path-'));
  execFileSync('git', ['init', '--quiet', repository]);
});

afterAll(() => rmSync(repository, { recursive: true, force: true }));

/** Which of the paths git ignores under one root-anchored pattern; none of them exists on disk. */
function ignoredByGit(pattern: string, paths: readonly string[]): readonly boolean[] {
  writeFileSync(join(repository, '.gitignore'), `/${pattern}\n`);
  const { stdout } = spawnSync('git', ['-C', repository, ...CHECK_IGNORE], {
    input: paths.join('\0'),
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: repository },
  });
  // Four fields a path: source, line, pattern, path; the first is empty where nothing matches.
  const fields = stdout.split('\0');
  return paths.map((_path, index) => fields[index * 4] !== '');
}

function match(pattern: string, target: string): string {
  return pathMatcher(pattern, exactFolding).match({ kind: 'write', target });
}

const name = fc.constantFrom('a', 'b', 'ab', '.env', '.env.local', 'a*', '[id]', 'A', 'a-b');
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const glob = fc.oneof(
  name.filter((text) => !/[[*]/u.test(text)),
  fc.constantFrom(
    '*',
    '**',
    '?',
    'a*',
    '*b',
    '.env*',
    '[ab]',
    '[!a]',
    '[a-z]*',
    '\\*',
    'a\\*',
    '\\[id\\]',
    '*.*',
    '[[:alpha:]]',
    '??',
    '[]a]',
    '[^b]',
  ),
);
const patterns = fc
  .tuple(fc.array(glob, { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([parts, isFolder]) => parts.join('/') + (isFolder ? '/' : ''));

// ASCII only, since git compares bytes where we compare characters; and no `a**`, whose prefix git cuts off before it
// looks for a whole segment `**`, so that it is one by accident.
test('patterns mean what they mean to git', () => {
  fc.assert(
    fc.property(
      patterns,
      fc.uniqueArray(path, { minLength: 40, maxLength: 60 }),
      (pattern, paths) => {
        const ours = paths.map((target) => [target, match(pattern, target) === 'all']);
        const gits = ignoredByGit(pattern, paths);
        expect(ours).toEqual(paths.map((target, index) => [target, gits[index]]));
      },
    ),
    { numRuns: runs },
  );
});

test('a tree is covered only if everything that can be in it is', () => {
  fc.assert(
    fc.property(patterns, path, path, (...[pattern, folder, inside]) => {
      const coverage = match(pattern, `${folder}/**`);
      const file = match(pattern, `${folder}/${inside}`);
      expect(coverage === 'perhaps' ? file : coverage).toBe(file);
    }),
  );
});

test('an exact pattern means its target alone', () => {
  const target = fc.oneof(path, fc.constantFrom('!a', '\\', ' a ', 'a?', 'src/**', '**', 'x[/]'));
  fc.assert(
    fc.property(target, path, (exact, other) => {
      expect(match(exactPathPattern(exact), exact)).toBe('all');
      const isMeant =
        other === exact || other.startsWith(`${exact.replace(/\*\*$/u, '').replace(/\/$/u, '')}/`);
      expect(match(exactPathPattern(exact), other)).toBe(
        exact === '**' || isMeant ? 'all' : 'none',
      );
    }),
  );
});

test.each([
  ['.env*', '.env.local', 'all'],
  ['.env*', 'sub/.env', 'none'],
  ['**/.env*', '.env', 'all'],
  ['**/.env*', 'a/b/.env', 'all'],
  ['src', 'src/a/b.ts', 'all'],
  ['/src', 'src/a.ts', 'all'],
  ['src/*', 'src/a/b.ts', 'all'],
  ['src/*.ts', 'src/a/b.ts', 'none'],
  ['src/**', 'src', 'none'],
  ['src/**', 'src/**', 'all'],
  ['src/**', 'src/a/**', 'all'],
  ['src/**', '**', 'perhaps'],
  ['*', '**', 'all'],
  ['*/a', '**', 'perhaps'],
  ['src/**/a.ts', 'src/**', 'perhaps'],
  ['docs/**', 'src/**', 'none'],
  ['build/', 'build', 'none'],
  ['build/', 'build/a', 'all'],
  ['build/', 'build/**', 'all'],
  ['app/[[]id]/*', 'app/[id]/page.tsx', 'all'],
  ['a*', 'a\nb', 'all'],
  ['src/**', './src/a', 'all'],
])('%s and %s: %s', (pattern, target, coverage) => {
  expect(match(pattern, target)).toBe(coverage);
});

test('case counts unless the disk folds it', () => {
  const folding = { caseInsensitive: true, unicodeInsensitive: true };
  const matcher = pathMatcher('**/.Env*', folding);
  expect(matcher.match({ kind: 'write', target: 'a/.ENV' })).toBe('all');
  expect(match('.env', '.ENV')).toBe('none');
  expect(pathMatcher('caf\u00e9', folding).match({ kind: 'write', target: 'cafe\u0301' })).toBe(
    'all',
  );
});

test.each(['!a', 'a//b', '', '[a', 'a\\'])('%j is no pattern', (pattern) => {
  expect(() => pathMatcher(pattern, exactFolding)).toThrow(TypeError);
});

test('many stars cannot make a match slow', () => {
  const started = performance.now();
  expect(match(`${'*a'.repeat(30)}*b`, 'a'.repeat(4_000))).toBe('none');
  expect(match(`${'**/a/'.repeat(30)}b`, 'a/'.repeat(2_000))).toBe('none');
  expect(performance.now() - started).toBeLessThan(5_000);
});
