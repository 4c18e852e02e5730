import { expect, test } from 'vitest';
import { describeDifference, nearMisses } from '../../src/patch/near-miss.ts';
import { parsePatch } from '../../src/patch/parse.ts';
import { prepareHunk } from '../../src/patch/prepared-hunk.ts';
import { toSourceText } from '../../src/patch/source-text.ts';

function misses(text: string, hunk: string, expected: number | null): unknown {
  const [first] = parsePatch(hunk, 'f')[0]?.hunks ?? [];
  if (first === undefined) throw new TypeError('The diff has no hunk.');
  return nearMisses(toSourceText(text), prepareHunk(first), expected);
}

test('the most similar place comes first, with what differs', () => {
  const text = 'one\ntwo\n\nalpha\n  beta \ngamma\n\nalpha\ndelta\n';
  expect(misses(text, '@@ -1,3 +1,3 @@\n alpha\n-  beta\n+  BETA\n gamma\n', 0)).toEqual([
    {
      line: 4,
      text: 'alpha\n  beta \ngamma',
      diff: ' alpha\n-  beta\n+  beta \n gamma',
      note: 'line 5: only white space at the end of the line differs',
    },
    {
      line: 8,
      text: 'alpha\ndelta',
      diff: ' alpha\n-  beta\n+delta\n-gamma',
      note: 'line 9: column 1: the diff has U+0020, the file "d" (U+0064)',
    },
  ]);
});

test('where nothing is similar, the place that the header names is shown', () => {
  expect(misses('one\ntwo\n', '@@ -2 +2 @@\n-beta\n+BETA\n', 1)).toEqual([
    {
      line: 2,
      text: 'two',
      diff: '-beta\n+two',
      note: 'line 2: column 1: the diff has "b" (U+0062), the file "t" (U+0074)',
    },
  ]);
  expect(misses('one\ntwo\n', '@@ -9 +9 @@\n-beta\n+BETA\n', 8)).toEqual([]);
  expect(misses('one\ntwo\n', '@@\n-beta\n+BETA\n', null)).toEqual([]);
});

test('what is shown is bounded', () => {
  const long = 'x'.repeat(10_000);
  const text = `${long}y\n`.repeat(100);
  const [first] = JSON.parse(
    JSON.stringify(
      misses(text, `@@ -1,100 +1,100 @@\n${`-${long}\n`.repeat(100)}${`+z\n`.repeat(100)}`, 0),
    ),
  );
  expect(first.text.length).toBeLessThan(3000);
  expect(first.diff.length).toBeLessThan(6000);
});

test('a difference in words', () => {
  expect(describeDifference('a', ' a')).toBe('only the indentation differs');
  expect(describeDifference('a b', 'a  b')).toBe('only white space differs');
  expect(describeDifference('a-b', 'a\u2013b')).toBe(
    'column 2: the diff has "-" (U+002D), the file "\u2013" (U+2013)',
  );
  expect(describeDifference('ab', 'a')).toBe(
    'column 2: the diff has "b" (U+0062), the file no more text',
  );
  expect(describeDifference('a', undefined)).toBe('the file ends there');
});
