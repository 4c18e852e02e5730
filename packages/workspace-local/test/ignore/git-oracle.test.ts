import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { IgnoreRules } from '../../src/ignore/ignore-rules.ts';
import { TreeWalk } from '../../src/walk/tree-walk.ts';

const runs = process.env['TOOLWRIGHT_LONG'] === '1' ? 400 : 60;

let base = '';
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'ignore-oracle-'));
});
afterAll(() => {
  rmSync(base, { recursive: true, force: true });
});

const name = fc.constantFrom(
  'a',
  'b',
  'ab',
  'a.txt',
  'b.log',
  'é',
  '.x',
  'a b',
  'A',
  '-d',
  '#a',
  '!b',
);
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

const patternAtom = fc.constantFrom(
  'a',
  'b',
  'ab',
  '.txt',
  '.log',
  '*',
  '**',
  '?',
  '/',
  '/',
  '/**/',
  '**/',
  '/**',
  'é',
  '.x',
  ' ',
  '[ab]',
  '[!a]',
  '[^a]',
  '[a-c]',
  '[]a]',
  '[a-',
  '[[:alpha:]]',
  '[[:foo:]]',
  '[a/b]',
  '\\*',
  '\\a',
  '\\ ',
  '\\',
  '[\\]a]',
  'A',
  '***',
  '-d',
  '#',
  '!',
  '[b-a]',
  '[a-]',
  '[!]]',
  '[[:alpha:',
);
const pattern = fc
  .tuple(fc.constantFrom('', '', '', '!', '/', '\\!', '#'), fc.array(patternAtom, { maxLength: 5 }))
  .map(([prefix, atoms]) => prefix + atoms.join(''));
const ending = fc.constantFrom('\n', '\n', '\r\n', '  \n', '/\n', '\t\n');
const ignoreText = fc
  .array(fc.tuple(pattern, ending), { maxLength: 6 })
  .map((lines) => lines.map((line) => line.join('')).join(''));

const tree = fc.record({
  paths: fc.uniqueArray(path, { minLength: 3, maxLength: 25 }),
  ignores: fc.dictionary(fc.constantFrom('', 'a', 'b', 'a/b', 'ab'), ignoreText, { maxKeys: 3 }),
  exclude: ignoreText,
  excludesFile: ignoreText,
});

/** Lays the tree out; paths that clash with one already there are left out. */
function layOut(root: string, paths: readonly string[]): string[] {
  return paths.filter((file) => {
    try {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), '', { flag: 'wx' });
      return true;
    } catch {
      return false;
    }
  });
}

test('rules judge random paths exactly as git check-ignore does, and the walk lists what git ls-files does', () => {
  let count = 0;
  fc.assert(
    fc.property(tree, ({ paths, ignores, exclude, excludesFile }) => {
      count += 1;
      const root = join(base, `r${count}`);
      const home = join(base, `h${count}`);
      mkdirSync(join(home, '.config/git'), { recursive: true });
      mkdirSync(root);
      execFileSync('git', ['init', '-q'], { cwd: root });
      const files = layOut(root, paths);
      for (const [directory, text] of Object.entries(ignores)) {
        try {
          mkdirSync(join(root, directory), { recursive: true });
        } catch {
          continue;
        }
        writeFileSync(join(root, directory, '.gitignore'), text);
      }
      writeFileSync(join(root, '.git/info/exclude'), exclude);
      writeFileSync(join(home, '.config/git/ignore'), excludesFile);
      const environment = { HOME: home, PATH: process.env['PATH'] ?? '' };
      const git = (args: string[], input?: string) =>
        execFileSync('git', args, { cwd: root, env: environment, input: input ?? '' }).toString();

      const rules = new IgnoreRules(root, { home, xdgConfigHome: undefined });
      const ours = files.filter((file) => rules.isIgnored(`${root}/${file}`, false));
      let theirs: string[] = [];
      try {
        theirs = git(['check-ignore', '--no-index', '--stdin', '-z'], files.join('\0'))
          .split('\0')
          .filter(Boolean);
      } catch {
        // Exit code 1: none of the paths is ignored.
      }
      expect(ours.toSorted()).toEqual(theirs.toSorted());

      const listed = git(['ls-files', '--others', '--exclude-standard', '-z'])
        .split('\0')
        .filter(Boolean);
      const walk = new TreeWalk({
        root,
        start: '',
        rules: new IgnoreRules(root, { home, xdgConfigHome: undefined }),
        hidden: true,
        directories: false,
        maxDepth: 100,
      });
      const walked: string[] = [];
      for (let batch = walk.next(3); batch !== undefined; batch = walk.next(3)) {
        walked.push(...batch.map((entry) => entry.path));
      }
      const byBytes = (x: string, y: string) => Buffer.compare(Buffer.from(x), Buffer.from(y));
      expect(walked).toEqual(listed.toSorted(byBytes));
      rmSync(root, { recursive: true });
    }),
    { numRuns: runs, seed: 20_261_130, endOnFailure: false },
  );
}, 60_000);
