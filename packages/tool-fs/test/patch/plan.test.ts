import { ToolError } from '@toolwright/core';
import { describe, expect, test } from 'vitest';
import { uneditedText } from '../../src/patch/edited-text.ts';
import { parsePatch } from '../../src/patch/parse.ts';
import { planPatch, type FileState } from '../../src/patch/plan.ts';
import { applyDiff } from './apply-diff.ts';

/** Like git's header lines, for a file that keeps its name. */
function modified(path: string, old: string, created: string): string {
  return `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${old}\n+${created}\n`;
}

function moved(kind: 'rename' | 'copy', from: string, to: string): string {
  return `diff --git a/${from} b/${to}\nsimilarity index 100%\n${kind} from ${from}\n${kind} to ${to}\n`;
}

function refusal(diff: string, files: Readonly<Record<string, string>>): unknown {
  try {
    return applyDiff(diff, files);
  } catch (error) {
    if (!ToolError.isInstance(error)) throw error;
    const path = error.fields['path'];
    return `${error.type}/${error.reason} ${typeof path === 'string' ? path : ''}`;
  }
}

describe('several files', () => {
  test('are created, changed, renamed, copied and deleted together', () => {
    const diff =
      modified('a', '1', '2') +
      moved('rename', 'b', 'sub/b') +
      `${moved('copy', 'a', 'c')}--- a/a\n+++ b/c\n@@ -1 +1 @@\n-1\n+3\n` +
      '--- /dev/null\n+++ b/d\n@@ -0,0 +1 @@\n+4\n' +
      '--- a/e\n+++ /dev/null\n@@ -1 +0,0 @@\n-5\n';
    expect(applyDiff(diff, { a: '1\n', b: 'b\n', e: '5\n' })).toEqual({
      a: '2\n',
      'sub/b': 'b\n',
      c: '3\n',
      d: '4\n',
    });
  });

  test('can change places, and a name can go from one to another', () => {
    const files = { a: 'A\n', b: 'B\n', c: 'C\n' };
    expect(applyDiff(moved('rename', 'a', 'b') + moved('rename', 'b', 'a'), files)).toEqual({
      a: 'B\n',
      b: 'A\n',
      c: 'C\n',
    });
    const chain = moved('rename', 'a', 'b') + moved('rename', 'b', 'c') + moved('rename', 'c', 'a');
    expect(applyDiff(chain, files)).toEqual({ a: 'C\n', b: 'A\n', c: 'B\n' });
    const replaced =
      '--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-A\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+N\n';
    expect(applyDiff(replaced, files)).toEqual({ ...files, a: 'N\n' });
  });

  test('sections of one file build on each other', () => {
    expect(applyDiff(modified('a', '1', '2') + modified('a', '2', '3'), { a: '1\n' })).toEqual({
      a: '3\n',
    });
    const envelope =
      '*** Begin Patch\n*** Update File: a\n-1\n+2\n*** Update File: a\n*** Move to: b\n-2\n+3\n*** End Patch\n';
    expect(applyDiff(envelope, { a: '1\n' })).toEqual({ b: '3\n' });
  });

  test('tell of every file that cannot be changed', () => {
    const diff = modified('a', '0', '2') + modified('b', 'x', 'y') + modified('c', '1', '2');
    expect(() => applyDiff(diff, { a: '1\n', b: 'y\n', c: '1\n' })).toThrow(
      expect.objectContaining({
        type: 'version_conflict',
        reason: 'context_mismatch',
        fields: expect.objectContaining({
          path: 'a',
          hunk: 1,
          diff_line: 3,
          candidates: [{ line: 1, text: '1', diff: '-0\n+1' }],
          failures: [
            { path: 'a', type: 'version_conflict', reason: 'context_mismatch', hunk: 1 },
            { path: 'b', type: 'version_conflict', reason: 'already_applied', hunk: 1 },
          ],
        }),
      }),
    );
  });
});

describe('refused', () => {
  test.each([
    ['a missing file', modified('x', '1', '2'), 'not_found/undefined x'],
    ['a missing source', moved('rename', 'x', 'y'), 'not_found/undefined x'],
    ['a rename that was made', moved('rename', 'x', 'a'), 'version_conflict/already_applied a'],
    ['a rename onto a file', moved('rename', 'a', 'b'), 'invalid_argument/already_exists b'],
    ['a copy onto a file', moved('copy', 'a', 'b'), 'invalid_argument/already_exists b'],
    [
      'a creation with the same content',
      '--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+1\n',
      'version_conflict/already_applied a',
    ],
    [
      'a creation with old lines',
      '--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n',
      'invalid_argument/undefined x',
    ],
    [
      'a deletion that lists other content',
      '--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-2\n',
      'version_conflict/context_mismatch a',
    ],
    [
      'a deletion that leaves content over',
      '--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n',
      'version_conflict/context_mismatch b',
    ],
    ['hunks that change nothing', modified('a', '1', '1'), 'invalid_argument/no_change a'],
  ])('%s', (_, diff, expected) => {
    expect(refusal(diff, { a: '1\n', b: 'b\nc\n' })).toBe(expected);
  });

  test('a creation and a deletion are as good as their files', () => {
    expect(refusal('*** Begin Patch\n*** Delete File: a\n*** End Patch\n', { a: '1\n' })).toEqual(
      {},
    );
  });
});

test('modes: set, taken away, kept by what does not speak of them', () => {
  const states = new Map<string, FileState | null>(
    [
      ['plain', false],
      ['run', true],
      ['tool', true],
    ].map(([path, executable]) => [
      String(path),
      { content: uneditedText('1\n'), executable: executable === true, origin: String(path) },
    ]),
  );
  const diff =
    'diff --git a/plain b/plain\nold mode 100644\nnew mode 100755\n' +
    'diff --git a/run b/run\nold mode 100755\nnew mode 100644\n' +
    `${moved('rename', 'tool', 'bin/tool')}--- a/tool\n+++ b/bin/tool\n@@ -1 +1 @@\n-1\n+2\n`;
  const { changes } = planPatch(parsePatch(diff), states);
  expect(changes.map(({ path, after }) => [path, after?.executable])).toEqual([
    ['plain', true],
    ['run', false],
    ['tool', undefined],
    ['bin/tool', true],
  ]);
  const again = 'diff --git a/run b/run\nold mode 100644\nnew mode 100755\n';
  expect(() => planPatch(parsePatch(again), states)).toThrow(
    expect.objectContaining({ type: 'version_conflict', reason: 'already_applied' }),
  );
});

test('counts that take in the header of the next file are named as the likely mistake', () => {
  const diff =
    '--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n 1\n-2\n+3\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-b\n+c\n';
  expect(() => applyDiff(diff, { a: '1\n2\n', b: 'b\n' })).toThrow(
    expect.objectContaining({
      reason: 'context_mismatch',
      message: expect.stringContaining('check the counts'),
    }),
  );
});

test('after eight files that cannot be changed the rest is not tried', () => {
  const diff = Array.from({ length: 12 }, (_, index) => modified(`f${index}`, '1', '2')).join('');
  expect(() => applyDiff(diff, {})).toThrow(
    expect.objectContaining({
      type: 'not_found',
      fields: expect.objectContaining({ failures: expect.toSatisfy((all) => all.length === 8) }),
      output: expect.stringContaining('were not tried'),
    }),
  );
});
