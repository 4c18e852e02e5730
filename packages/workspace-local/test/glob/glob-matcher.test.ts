import * as fc from 'fast-check';
import { minimatch } from 'minimatch';
import { describe, expect, test } from 'vitest';
import { GlobError } from '../../src/glob/glob-error.ts';
import { escapeGlob, GlobMatcher, namesHidden } from '../../src/glob/glob-matcher.ts';

const runs = process.env['TOOLWRIGHT_LONG'] === '1' ? 20_000 : 1500;
const matching = (pattern: string, paths: readonly string[], dot = true) => {
  const matcher = new GlobMatcher(pattern, { dot });
  return paths.filter((path) => matcher.matches(path));
};

describe('the dialect', () => {
  test('GLOB-003: an explicit dot matches, a star does not', () => {
    const flat = ['flat/.a', 'flat/.b', 'flat/c', 'flat/.js'];
    expect(matching('flat/{.a,.b}', flat, false)).toEqual(['flat/.a', 'flat/.b']);
    expect(matching('flat/{c,.a}', flat, false)).toEqual(['flat/.a', 'flat/c']);
    expect(matching('flat/[.]a', flat, false)).toEqual([]);
    expect(matching('flat/{*.js,x}', flat, false)).toEqual([]);
    expect(matching('flat/*', flat)).toEqual(flat);
  });

  test('GLOB-004: a single alternative loses its braces, unless escaped', () => {
    const paths = ['a.py', 'b.txt', 'c.{py}'];
    expect(matching('*.{py}', paths)).toEqual(['a.py']);
    expect(matching('*.\\{py\\}', paths)).toEqual(['c.{py}']);
  });

  test('GLOB-001: plain parentheses are characters, brackets a class', () => {
    const paths = ['src/app/(auth)/[id]/page.tsx', 'src/app/i/page.tsx', 'src/app/(auth)/i/x.tsx'];
    expect(matching('src/app/(auth)/[id]/**', paths)).toEqual(['src/app/(auth)/i/x.tsx']);
    expect(matching(`${escapeGlob('src/app/(auth)/[id]')}/**`, paths)).toEqual([paths[0]]);
  });

  test.each<[string, string[]]>([
    ['*.ts', ['a.ts', 'src/b.ts', 'src/x/c.test.ts']],
    ['/*.ts', ['a.ts']],
    ['./*.ts', ['a.ts']],
    ['src/*.ts', ['src/b.ts']],
    ['src/**', ['src/b.ts', 'src/x/c.test.ts', 'src/x/d.js']],
    ['src/', ['src/b.ts', 'src/x/c.test.ts', 'src/x/d.js']],
    ['**/x/*', ['src/x/c.test.ts', 'src/x/d.js']],
    ['**/*.{ts,js}', ['a.ts', 'src/b.ts', 'src/x/c.test.ts', 'src/x/d.js']],
    ['src/{b,x/*}.{ts,js}', ['src/b.ts', 'src/x/c.test.ts', 'src/x/d.js']],
    ['**', ['a.ts', 'src/b.ts', 'src/x/c.test.ts', 'src/x/d.js', 'v2']],
    ['v{1..3}', ['v2']],
    ['{a..c}.ts', ['a.ts', 'src/b.ts']],
    ['!(*.test).ts', ['a.ts', 'src/b.ts']],
    ['!*.ts', ['src/x/d.js', 'v2']],
    ['+(a|b).?s', ['a.ts', 'src/b.ts']],
    ['[[:alpha:]][[:digit:]]', ['v2']],
  ])('%s', (pattern, expected) => {
    const paths = ['a.ts', 'src/b.ts', 'src/x/c.test.ts', 'src/x/d.js', 'v2'];
    expect(matching(pattern, paths)).toEqual(expected);
  });

  test.each([
    '',
    '  ',
    '../x',
    'a/../b',
    '{a,../b}',
    'a\0b',
    '{1..9999}',
    '{a,b}'.repeat(12),
    '[z-a]',
  ])('refused: %j', (pattern) => {
    expect(() => new GlobMatcher(pattern, { dot: true })).toThrow(GlobError);
  });

  test('what never closes is a character', () => {
    expect(matching('a[b', ['a[b', 'ab'])).toEqual(['a[b']);
    expect(matching('a{b', ['a{b', 'ab'])).toEqual(['a{b']);
    expect(matching('@(a', ['@(a', 'a'])).toEqual(['@(a']);
  });

  test('directories that cannot lead to a match are known', () => {
    const matcher = new GlobMatcher('src/{app,lib}/**/*.ts', { dot: false });
    expect(['src', 'src/app', 'src/app/x'].every((path) => matcher.mayMatchBelow(path))).toBe(true);
    expect(['test', 'src/bin', 'src/app/.git'].some((path) => matcher.mayMatchBelow(path))).toBe(
      false,
    );
  });

  test('namesHidden sees a dot where a name begins', () => {
    expect(['.env', 'a/.b', '{x,.y}', '@(.a)', '\\.a'].every(namesHidden)).toBe(true);
    expect(['a.b', './a', '*.js', '[.]a'].some(namesHidden)).toBe(false);
  });

  test('hostile patterns take no exponential time', () => {
    const path = `${'a'.repeat(200)}/${'a'.repeat(200)}b`;
    for (const pattern of [
      '*a'.repeat(50) + 'c',
      '+(+(+(a)))c',
      '**/'.repeat(60) + 'c',
      '*(*(a|b)|*(b|a))c',
    ]) {
      expect(matching(pattern, [path])).toEqual([]);
    }
  });
});

const atom = fc.constantFrom(
  'a',
  'b',
  '.a',
  '*',
  '**',
  '?',
  '[ab]',
  '[!a]',
  '/',
  '/',
  '{a,b}',
  '{b,*/a}',
  'é',
  '.',
  '@(a|b)',
  '+(a|.b)',
  '?(a)',
  '*(b|a)',
);
const pattern = fc.array(atom, { minLength: 1, maxLength: 6 }).map((atoms) => atoms.join(''));
const name = fc.constantFrom('a', 'b', 'ab', '.a', 'a.b', 'é', '.b', 'aa', 'ba');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));

test('agrees with minimatch', () => {
  fc.assert(
    fc.property(
      pattern,
      fc.array(path, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      (glob, paths, dot) => {
        // Outside of the comparison: empty segments, "." segments, and a trailing slash, which there means directories.
        fc.pre(!glob.includes('//') && !glob.startsWith('/') && !glob.endsWith('/'));
        fc.pre(!/(^|[/{,(|])\.{1,2}($|[/},)|])/.test(glob));
        // There a group does not see that a dot begins a name.
        fc.pre(dot || !/[@+?*]\(/.test(glob));
        const isBare = !glob.includes('/');
        fc.pre(isBare || glob.replaceAll(/\{[^}]*\}/g, '').includes('/'));
        const options = { dot, nonegate: true, nocomment: true };
        const anyDepth = isBare ? `**/${glob}` : glob;
        const expected = paths.filter((each) => minimatch(each, anyDepth, options));
        expect(matching(glob, paths, dot)).toEqual(expected);
      },
    ),
    { numRuns: runs, seed: 3 },
  );
});
