import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { unifiedDiff } from '../../src/change/unified-diff.ts';

test.each([
  ['a\nb\nc\n', 'a\nB\nc\n', '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n'],
  ['', 'a\n', '@@ -0,0 +1 @@\n+a\n'],
  ['a\n', '', '@@ -1 +0,0 @@\n-a\n'],
  ['a', 'a\n', '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n'],
  ['same\n', 'same\n', ''],
])('%j to %j', (before, after, diff) => {
  expect(unifiedDiff(before, after).diff).toBe(diff);
});

test('a change of more lines than a call takes arguments is one hunk with all of them', () => {
  const old = 'old\n'.repeat(130_000);
  const fresh = 'new\n'.repeat(140_000);
  const replaced = unifiedDiff(old, fresh);
  expect(replaced).toMatchObject({ addedLines: 140_000, removedLines: 130_000 });
  expect(replaced.diff.startsWith('@@ -1,130000 +1,140000 @@\n-old\n')).toBe(true);
  expect(replaced.diff.length).toBe('@@ -1,130000 +1,140000 @@\n'.length + 5 * 270_000);
  expect(unifiedDiff('', fresh)).toMatchObject({ addedLines: 140_000, removedLines: 0 });
  expect(unifiedDiff(fresh, '')).toMatchObject({ addedLines: 0, removedLines: 140_000 });
});

test('changes far apart are hunks of their own, near ones share one', () => {
  const lines = Array.from({ length: 40 }, (_, index) => `${index + 1}\n`);
  const far = lines.map((line) => (line === '3\n' || line === '30\n' ? `x${line}` : line));
  const near = lines.map((line) => (line === '3\n' || line === '9\n' ? `x${line}` : line));
  expect(unifiedDiff(lines.join(''), far.join('')).diff.match(/^@@ .*$/gm)).toEqual([
    '@@ -1,6 +1,6 @@',
    '@@ -27,7 +27,7 @@',
  ]);
  expect(unifiedDiff(lines.join(''), near.join('')).diff.match(/^@@ .*$/gm)).toEqual([
    '@@ -1,12 +1,12 @@',
  ]);
});

test('git applies it: the first text becomes the second, byte for byte', () => {
  const directory = mkdtempSync(join(tmpdir(), 'toolwright-diff-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'f');
  const line = fc.constantFrom('a', 'b', 'c', '', 'd ');
  const text = fc
    .tuple(fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 30 }), line)
    .map(([lines, last]) => lines.map((parts) => parts.join('')).join('') + last);
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after && before !== '' && after !== '');
      writeFileSync(file, before);
      const patch = `--- a/f\n+++ b/f\n${unifiedDiff(before, after).diff}`;
      execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: directory, input: patch });
      expect(readFileSync(file, 'utf8')).toBe(after);
    }),
    { numRuns: 40 },
  );
});

test('texts that differ throughout take no quadratic time', { timeout: 20_000 }, () => {
  const before = Array.from({ length: 20_000 }, (_, index) => `old ${index}\n`).join('');
  const after = Array.from({ length: 20_000 }, (_, index) => `new ${index}\n`).join('');
  expect(unifiedDiff(before, after)).toMatchObject({ addedLines: 20_000, removedLines: 20_000 });
});
