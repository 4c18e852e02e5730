import { ToolError } from '@toolwright/core';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { touchedPaths, type FilePatch } from '../../src/patch/file-patch.ts';
import { parsePatch } from '../../src/patch/parse.ts';

const hunk = '@@ -1 +1 @@\n-a\n+b\n';

/** A patch in one line: what happens to which path. */
function summary(patch: FilePatch): string {
  const from = patch.action === 'rename' || patch.action === 'copy' ? `${patch.from} -> ` : '';
  const mode = patch.executable === undefined ? '' : patch.executable ? ' +x' : ' -x';
  return `${patch.action} ${from}${patch.path}${mode} (${patch.hunks.length})`;
}

function summaries(diff: string, filePath?: string): readonly string[] {
  return parsePatch(diff, filePath).map(summary);
}

function refusal(diff: string, filePath?: string): unknown {
  try {
    return summaries(diff, filePath);
  } catch (error) {
    if (!ToolError.isInstance(error)) throw error;
    return `${error.type}/${error.reason} at ${JSON.stringify(error.fields['diff_line'])}`;
  }
}

describe('names', () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ['a/ and b/', `--- a/x/y.ts\n+++ b/x/y.ts\n${hunk}`, ['modify x/y.ts (1)']],
    ['no prefixes', `--- x/y.ts\n+++ x/y.ts\n${hunk}`, ['modify x/y.ts (1)']],
    ['a folder that is called a', `--- a/y.ts\n+++ a/y.ts\n${hunk}`, ['modify a/y.ts (1)']],
    ['a reversed diff', `--- b/y.ts\n+++ a/y.ts\n${hunk}`, ['modify y.ts (1)']],
    [
      'mnemonic prefixes of git',
      `diff --git i/y.ts w/y.ts\nindex 1..2 100644\n--- i/y.ts\n+++ w/y.ts\n${hunk}`,
      ['modify y.ts (1)'],
    ],
    ['i/ and w/ that are folders', `--- i/y.ts\n+++ i/y.ts\n${hunk}`, ['modify i/y.ts (1)']],
    [
      'times after a TAB',
      `--- a/x y\t2026-01-01 00:00:00\n+++ b/x y\t\n${hunk}`,
      ['modify x y (1)'],
    ],
    ['a backup on the old side', `--- x.c.orig\n+++ x.c\n${hunk}`, ['modify x.c (1)']],
    [
      'a new file without prefixes beside one that shows it',
      `--- x\n+++ x\n${hunk}--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+a\n`,
      ['modify x (1)', 'create b/new (1)'],
    ],
    [
      'a new file with prefixes',
      `--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+a\n`,
      ['create new (1)'],
    ],
    ['a deleted file', `--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n`, ['delete gone (1)']],
    [
      'quoted on one side',
      `--- "a/\\"q\\"\\t.txt"\n+++ "b/\\"q\\"\\t.txt"\n${hunk}`,
      ['modify "q"\t.txt (1)'],
    ],
    [
      'characters outside ASCII, unquoted',
      `--- a/中 文.txt\n+++ b/中 文.txt\n${hunk}`,
      ['modify 中 文.txt (1)'],
    ],
    [
      'the Index line of Subversion',
      `Index: x\n=====\n--- x\t(revision 1)\n+++ x\t(working copy)\n${hunk}`,
      ['modify x (1)'],
    ],
  ];
  test.each(cases)('%s', (_, diff, expected) => {
    expect(summaries(diff)).toEqual(expected);
  });

  test('names that differ without a rename are refused', () => {
    expect(refusal(`--- a/x\n+++ b/y\n${hunk}`)).toBe('invalid_argument/malformed_diff at 1');
  });

  test('a name that is no UTF-8 is refused', () => {
    expect(refusal(`--- "a/\\377"\n+++ "b/\\377"\n${hunk}`)).toBe(
      'invalid_argument/malformed_diff at 1',
    );
  });
});

describe('git headers without hunks', () => {
  test.each([
    ['mode', 'old mode 100644\nnew mode 100755\n', 'modify x y +x (0)'],
    ['mode taken away', 'old mode 100755\nnew mode 100644\n', 'modify x y -x (0)'],
    ['an empty new file', 'new file mode 100755\nindex 0000000..e69de29\n', 'create x y +x (0)'],
    [
      'an empty deleted file',
      'deleted file mode 100644\nindex e69de29..0000000\n',
      'delete x y (0)',
    ],
  ])('%s', (_, header, expected) => {
    expect(summaries(`diff --git a/x y b/x y\n${header}`)).toEqual([expected]);
  });

  test('renames and copies name their files without prefix', () => {
    const diff =
      'diff --git a/old b/new b/sub/new\nsimilarity index 100%\nrename from old b/new\nrename to sub/new\n' +
      'diff --git "a/\\303\\244" "b/\\303\\266"\nsimilarity index 90%\ncopy from "\\303\\244"\ncopy to "\\303\\266"\n' +
      `--- "a/\\303\\244"\n+++ "b/\\303\\266"\n${hunk}`;
    expect(summaries(diff)).toEqual(['rename old b/new -> sub/new (0)', 'copy ä -> ö (1)']);
    expect(touchedPaths(parsePatch(diff))).toEqual(['old b/new', 'sub/new', 'ä', 'ö']);
  });

  test('a file that follows one without hunks is its own', () => {
    const rename = 'diff --git a/x b/y\nrename from x\nrename to y\n';
    expect(summaries(`${rename}--- a/z\n+++ b/z\n${hunk}`)).toEqual([
      'rename x -> y (0)',
      'modify z (1)',
    ]);
    expect(summaries(`${rename}--- a/x\n+++ b/y\n${hunk}`)).toEqual(['rename x -> y (1)']);
    expect(summaries(`diff --git a/x b/x\n--- x\n+++ x\n${hunk}`)).toEqual(['modify x (1)']);
  });

  test('links, submodules, binary and combined changes are unsupported', () => {
    const git = 'diff --git a/x b/x\n';
    expect(refusal(`${git}new file mode 120000\n`)).toBe('unsupported/file_mode at 2');
    expect(refusal(`${git}index 1..2 160000\n--- a/x\n+++ b/x\n${hunk}`)).toBe(
      'unsupported/file_mode at 2',
    );
    expect(refusal(`${git}index 1..2 100644\nGIT binary patch\nliteral 1\n`)).toBe(
      'unsupported/binary_patch at 3',
    );
    expect(refusal(`${git}Binary files a/x and b/x differ\n`)).toBe(
      'unsupported/binary_patch at 2',
    );
    expect(refusal('diff --cc x\nindex 1,2..3\n')).toBe('unsupported/combined_diff at 1');
    expect(refusal('--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n')).toBe('unsupported/combined_diff at 3');
    expect(refusal('*** a/x\n--- b/x\n***************\n*** 1 ****\n')).toBe(
      'unsupported/context_diff at 3',
    );
  });
});

describe('counts decide where a hunk ends', () => {
  const head = '--- a/x\n+++ b/x\n';
  test.each([
    ['too large at the end', `${head}@@ -1,3 +1,3 @@\n-a\n+b\n c\n`, '@@ -1,2 +1,2 @@'],
    [
      'too large before a hunk',
      `${head}@@ -1,3 +1,3 @@\n-a\n+b\n@@ -9 +9 @@\n-x\n+y\n`,
      '@@ -1,1 +1,1 @@',
    ],
    [
      'too large before a file',
      `${head}@@ -1,2 +1 @@\n-a\n+b\ndiff --git a/y b/y\n`,
      '@@ -1,1 +1,1 @@',
    ],
    ['too small', `${head}@@ -1 +1 @@\n-a\n+b\n+c\n`, '@@ -1,1 +1,2 @@'],
    ['too small, with context', `${head}@@ -1 +1 @@\n-a\n+b\n c\n-d\n`, '@@ -1,3 +1,2 @@'],
    ['too small, after a blank line', `${head}@@ -1 +1 @@\n-a\n+b\n\n+c\n`, '@@ -1,2 +1,3 @@'],
    ['too few on one side', `${head}@@ -1,0 +1,2 @@\n-a\n+b\n`, '@@ -1,1 +1,1 @@'],
    ['a line without prefix', `${head}@@ -1,2 +1,2 @@\n-a\n+b\nc\n`, '@@ -1,1 +1,1 @@'],
  ])('%s: the header that fits is told', (_, diff, header) => {
    expect(() => parsePatch(diff)).toThrow(
      expect.objectContaining({
        type: 'invalid_argument',
        reason: 'hunk_counts',
        fields: { diff_line: 3 },
        message: expect.stringContaining(header),
      }),
    );
  });

  test('what follows a whole hunk is prose: trailers, rules, fences, lists after a blank line', () => {
    for (const after of [
      '-- \n2.40.0\n',
      '---\nnotes\n',
      '```\n',
      '\n- one\n- two\n',
      '\nDone.\n',
    ]) {
      expect(summaries(`${head}${hunk}${after}`)).toEqual(['modify x (1)']);
    }
  });

  test('a blank context line that lost its prefix still counts', () => {
    const [patch] = parsePatch(`${head}@@ -1,3 +1,3 @@\n-a\n+b\n\n c\n`);
    expect(patch?.hunks[0]?.lines.at(2)).toEqual({ kind: 'context', text: '', terminated: true });
  });

  test('marks of a missing newline belong to the line before', () => {
    const diff = `${head}@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ Kein Zeilenumbruch\n`;
    expect(parsePatch(diff)[0]?.hunks[0]?.lines).toEqual([
      { kind: 'remove', text: 'a', terminated: false },
      { kind: 'add', text: 'b', terminated: false },
    ]);
    const wrong = `${head}@@ -1,2 +1,2 @@\n a\n\\ No newline at end of file\n-b\n+c\n`;
    expect(refusal(wrong)).toBe('invalid_argument/malformed_diff at 4');
  });

  test('a header without numbers ends where hunk lines end', () => {
    const diff = `${head}@@ ... @@\n-a\n+b\n\n@@\n c\n-d\n\ndiff --git a/y b/y\nold mode 100644\nnew mode 100755\n`;
    expect(summaries(diff)).toEqual(['modify x (2)', 'modify y +x (0)']);
    expect(parsePatch(diff)[0]?.hunks.map(({ lines }) => lines.length)).toEqual([2, 2]);
  });
});

describe('carriage returns', () => {
  test('of a diff that has them on every line are how it travelled', () => {
    const diff = `--- a/x\n+++ b/x\n${hunk}`.replaceAll('\n', '\r\n');
    expect(parsePatch(diff)[0]?.hunks[0]?.lines.map(({ text }) => text)).toEqual(['a', 'b']);
  });

  test('of hunk lines alone belong to the lines', () => {
    const diff = '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+b\r\n';
    expect(parsePatch(diff)[0]?.hunks[0]?.lines.map(({ text }) => text)).toEqual(['a\r', 'b\r']);
  });
});

describe('V4A', () => {
  const envelope = (body: string): string => `*** Begin Patch\n${body}*** End Patch\n`;

  test('adds, updates, moves and deletes', () => {
    const diff = envelope(
      '*** Add File: new.txt\n+one\n\n+three\n*** Update File: src/a.ts\n*** Move to: src/b.ts\n' +
        '@@ class A\n@@   m() {\n-    x\n+    y\n*** End of File\n*** Update File: c\n-1\n+2\n\n*** Delete File: old\n',
    );
    expect(summaries(`Here it is:\n${diff}Done.`)).toEqual([
      'create new.txt (1)',
      'rename src/a.ts -> src/b.ts (1)',
      'modify c (1)',
      'delete old (0)',
    ]);
    const [added, moved] = parsePatch(diff);
    expect(added?.hunks[0]?.lines.map(({ text }) => text)).toEqual(['one', '', 'three']);
    expect(moved?.hunks[0]).toMatchObject({
      anchors: ['class A', '  m() {'],
      atEnd: true,
      start: null,
    });
  });

  test('takes a numbered header as a hint and its counts not at all', () => {
    const [patch] = parsePatch(envelope('*** Update File: x\n@@ -7,9 +7,9 @@\n-a\n+b\n'));
    expect(patch?.hunks[0]).toMatchObject({ start: 7, anchors: [], lines: [{}, {}] });
  });

  test('is refused when it is cut off or holds what it cannot', () => {
    expect(refusal('*** Begin Patch\n*** Update File: x\n-a\n+b\n')).toBe(
      'invalid_argument/malformed_diff at 1',
    );
    expect(refusal(envelope('*** Add File: x\nbare\n'))).toBe(
      'invalid_argument/malformed_diff at 3',
    );
    expect(refusal(envelope('*** Update File: x\n'))).toBe('invalid_argument/malformed_diff at 2');
    expect(refusal(envelope('*** Update File: x\n@@\n-a\nbare\n'))).toBe(
      'invalid_argument/malformed_diff at 5',
    );
    expect(refusal(envelope('*** Rename File: x\n'))).toBe('invalid_argument/malformed_diff at 2');
    expect(refusal(envelope(''))).toBe('invalid_argument/malformed_diff at undefined');
  });

  test('inside a hunk of a unified diff it is text', () => {
    const diff = '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-*** Begin Patch\n+*** End Patch\n';
    expect(summaries(diff)).toEqual(['modify x (1)']);
  });
});

describe('file_path', () => {
  test('takes all hunks, whatever names the diff has', () => {
    expect(summaries(hunk, 'f')).toEqual(['modify f (1)']);
    expect(summaries(`--- a/x\n+++ b/y\n${hunk}--- z\n+++ z\n${hunk}`, 'f')).toEqual([
      'modify f (2)',
    ]);
    expect(parsePatch(`--- x\n+++ x\n${hunk}--- z\n+++ z\n${hunk}`, 'f')[0]?.hunks[1]?.number).toBe(
      2,
    );
    expect(
      summaries(`diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/y\n${hunk}`, 'f'),
    ).toEqual(['modify f (1)']);
    expect(summaries(`*** Begin Patch\n*** Update File: x\n-a\n+b\n*** End Patch\n`, 'f')).toEqual([
      'modify f (1)',
    ]);
  });

  test('keeps a creation or deletion that stands alone', () => {
    expect(summaries('--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n', 'f')).toEqual(['create f (1)']);
    expect(summaries('--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n', 'f')).toEqual(['delete f (1)']);
    expect(
      refusal(`--- a/x\n+++ b/x\n${hunk}--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+a\n`, 'f'),
    ).toBe('invalid_argument/malformed_diff at 6');
  });

  test('is asked for when hunks have no file', () => {
    expect(refusal(hunk)).toBe('invalid_argument/malformed_diff at 1');
    expect(refusal('Nothing to see.\n')).toBe('invalid_argument/malformed_diff at undefined');
    expect(refusal('--- a/x\n@@ -1 +1 @@\n-a\n+b\n')).toBe('invalid_argument/malformed_diff at 1');
    expect(refusal('--- a/x\n+++ b/x\n')).toBe('invalid_argument/malformed_diff at 1');
  });
});

test('any text is read or refused with a typed error', () => {
  const piece = fc.constantFrom(
    ...(
      '--- a/x|+++ b/x|+++ /dev/null|@@ -1 +1 @@|@@ -1,2 +3,4 @@|@@|@@ x|@@ -9|diff --git a/x b/x|' +
      'rename from x|rename to y|new file mode 100644|-- |---|*** Begin Patch|*** End Patch|' +
      '*** Update File: x|*** Add File: y|*** Move to: z|*** End of File| a|-a|+a|\\ No newline||' +
      'prose|"|--- "a/\\|\r'
    ).split('|'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), fc.boolean(), (pieces, named) => {
      const outcome = refusal(pieces.join('\n'), named ? 'f' : undefined);
      expect(outcome).toSatisfy(
        (told) => Array.isArray(told) || /^(?:invalid_argument|unsupported)\//u.test(String(told)),
      );
    }),
    { numRuns: 2000, seed: 7 },
  );
});
