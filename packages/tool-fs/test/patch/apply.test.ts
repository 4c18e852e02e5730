import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyHunks } from '../../src/patch/apply.ts';
import { editText, uneditedText } from '../../src/patch/edited-text.ts';
import { parsePatch } from '../../src/patch/parse.ts';
import { changedLines, hunkOf, lineChange } from './make-diff.ts';

/** The text after the hunks, and where each was applied; or why they were not. */
function apply(text: string, hunks: string): unknown {
  const [patch] = parsePatch(hunks, 'f');
  const outcome = applyHunks(text, patch?.hunks ?? []);
  if (outcome.kind === 'failed') return outcome.locations;
  return [editText(uneditedText(text), outcome.splices).text, ...outcome.hunks];
}

function applied(text: string, hunks: string): unknown {
  const outcome = apply(text, hunks);
  return Array.isArray(outcome) ? outcome[0] : outcome;
}

const marker = '\\ No newline at end of file\n';

describe('line endings', () => {
  test.each([
    [
      'LF lines of a mixed file',
      'a\r\nb\nc\r\n',
      '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n',
      'a\r\nB\nc\r\n',
    ],
    [
      'CRLF lines of a mixed file',
      'a\nb\r\nc\n',
      '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n',
      'a\nB\r\nc\n',
    ],
    [
      'each replaced line keeps its own',
      'a\r\nb\n',
      '@@ -1,2 +1,2 @@\n-a\n-b\n+A\n+B\n',
      'A\r\nB\n',
    ],
    [
      'an added line has that of the line before',
      'a\r\nb\n',
      '@@ -1,2 +1,3 @@\n a\n+n\n b\n',
      'a\r\nn\r\nb\n',
    ],
    ['added before removed', 'a\r\nb\n', '@@ -1,2 +1,2 @@\n+A\n-a\n b\n', 'A\r\nb\n'],
    ['added at the top', 'a\r\nb\r\n', '@@ -1,2 +1,3 @@\n+n\n a\n b\n', 'n\r\na\r\nb\r\n'],
    ['no context at all', 'a\r\nb\r\n', '@@ -1,0 +2 @@\n+n\n', 'a\r\nn\r\nb\r\n'],
    [
      'CRLF diff, LF file',
      'a\nb\n',
      '--- f\r\n+++ f\r\n@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+B\r\n',
      'a\nB\n',
    ],
    ['CRLF hunk lines, LF file', 'a\nb\n', '@@ -1,2 +1,2 @@\n a\r\n-b\r\n+B\r\n', 'a\nB\n'],
    ['a diff of endings', 'a\r\nb\r\n', '@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n', 'a\nb\r\n'],
    ['a diff of endings the other way', 'a\nb\n', '@@ -1,2 +1,2 @@\n-a\n+a\r\n b\n', 'a\r\nb\n'],
    ['an added CR within a line stays', 'a\n', '@@ -1 +1,2 @@\n a\n+x\ry\n', 'a\nx\ry\n'],
  ])('%s', (...[, text, hunks, after]) => {
    expect(applied(text, hunks)).toBe(after);
  });

  test('a diff of endings does not fit where they are other already', () => {
    expect(apply('a\nb\r\n', '@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n')).toEqual([
      { kind: 'already_applied', at: 0 },
    ]);
  });
});

describe('the end of the file', () => {
  test.each([
    ['no newline is kept, replaced', 'a\nb', '@@ -1,2 +1,2 @@\n a\n-b\n+B\n', 'a\nB'],
    ['no newline is kept, appended', 'a\nb', '@@ -1,2 +1,3 @@\n a\n b\n+c\n', 'a\nb\nc'],
    ['no newline is kept, CRLF', 'a\r\nb', '@@ -1,2 +1,3 @@\n a\n b\n+c\n', 'a\r\nb\r\nc'],
    [
      'the last line goes, the one before keeps its newline',
      'a\nb',
      '@@ -1,2 +1 @@\n a\n-b\n',
      'a\n',
    ],
    ['context alone at the end', 'a\nb', '@@ -1,2 +1,2 @@\n-a\n+A\n b\n', 'A\nb'],
    ['a newline is added', 'a\nb', `@@ -2 +2 @@\n-b\n${marker}+b\n`, 'a\nb\n'],
    ['a newline is taken away', 'a\nb\n', `@@ -2 +2 @@\n-b\n+b\n${marker}`, 'a\nb'],
    ['neither side has one', 'a\nb', `@@ -2 +2,2 @@\n-b\n${marker}+B\n+c\n${marker}`, 'a\nB\nc'],
    [
      'a newline is added in a CRLF file',
      'a\r\nb',
      `@@ -1,2 +1,2 @@\n a\n-b\n${marker}+b\n`,
      'a\r\nb\r\n',
    ],
    ['after the last line, without context', 'a\nb', '@@ -2,0 +3 @@\n+c\n', 'a\nb\nc'],
    ['into an empty file', '', '@@ -0,0 +1,2 @@\n+a\n+b\n', 'a\nb\n'],
    ['all of it', 'a\nb', `@@ -1,2 +0,0 @@\n-a\n-b\n${marker}`, ''],
  ])('%s', (...[, text, hunks, after]) => {
    expect(applied(text, hunks)).toBe(after);
  });

  test('a mark of a missing newline is binding', () => {
    expect(apply('a\nb\n', `@@ -2 +2 @@\n-b\n${marker}+B\n`)).toEqual([{ kind: 'mismatch' }]);
    expect(apply('b\na\n', `@@ -1 +1 @@\n-b\n+B\n${marker}`)).toEqual([{ kind: 'mismatch' }]);
  });
});

describe('byte order mark', () => {
  test('stays when the hunk does not show it, and is text when it does', () => {
    expect(applied('\uFEFFa\nb\n', '@@ -1,2 +1,2 @@\n-a\n+A\n b\n')).toBe('\uFEFFA\nb\n');
    expect(applied('\uFEFFa\nb\n', '@@ -1,2 +1,2 @@\n-\uFEFFa\n+A\n b\n')).toBe('A\nb\n');
    expect(applied('a\nb\n', '@@ -1,2 +1,2 @@\n-a\n+\uFEFFa\n b\n')).toBe('\uFEFFa\nb\n');
  });
});

test('bytes outside the changed lines stay, whatever the endings; the hunk applies once', () => {
  const arbitrary = fc.record({
    change: lineChange,
    crlf: fc.array(fc.boolean(), { minLength: 33, maxLength: 33 }),
    final: fc.boolean(),
    context: fc.nat({ max: 4 }),
    numbered: fc.boolean(),
    drift: fc.integer({ min: -40, max: 40 }),
  });
  fc.assert(
    fc.property(arbitrary, ({ change, crlf, final, context, numbered, drift }) => {
      const ends: string[] = change.lines.map((_, index) => (crlf[index] === true ? '\r\n' : '\n'));
      if (!final) ends[ends.length - 1] = '';
      const whole = change.lines.map((line, index) => line + (ends[index] ?? ''));
      const text = whole.join('');
      const hunk = hunkOf(change, context, numbered ? drift : null);
      fc.pre(change.removed > 0 || context > 0);
      const outcome = applied(text, hunk);
      const after = change.at + change.removed;
      // Only the ending before an append to a last line without one may change.
      const prefix = whole.slice(0, change.at).join('');
      const suffix = whole.slice(after).join('');
      expect(outcome).toSatisfy(
        (result) =>
          typeof result === 'string' && result.startsWith(prefix) && result.endsWith(suffix),
      );
      expect(String(outcome).split(/\r?\n/u).filter(Boolean)).toEqual(changedLines(change));
      // What only removes leaves little to know it by, but it is never applied again.
      const again = change.added.length > 0 ? ['already_applied'] : ['already_applied', 'mismatch'];
      expect(apply(String(outcome), hunk)).toEqual([
        expect.objectContaining({ kind: expect.toBeOneOf(again) }),
      ]);
    }),
    { numRuns: 3000, seed: 42 },
  );
});

test('where a hunk was applied is told by old lines, with the offset from its header', () => {
  fc.assert(
    fc.property(lineChange, fc.integer({ min: -20, max: 20 }), (change, drift) => {
      const moved = Math.max(drift, -Math.max(0, change.at - 3));
      const hunk = hunkOf(change, 3, moved);
      const text = change.lines.map((line) => `${line}\n`).join('');
      expect(apply(text, hunk)).toEqual([
        changedLines(change)
          .map((line) => `${line}\n`)
          .join(''),
        { line: Math.max(0, change.at - 3) + 1, offset: 0 - moved },
      ]);
    }),
    { numRuns: 1000, seed: 42 },
  );
});
