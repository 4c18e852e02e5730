/** A handed case: files, a diff for them, and what is right. */
export interface PatchCase {
  readonly id: string;
  readonly files: Readonly<Record<string, string>>;
  /** Diffs that are sent one after the other. */
  readonly diffs: readonly string[];
  readonly after: Readonly<Record<string, string>>;
  /** How the last diff is refused; absent when all are applied. */
  readonly refused?: { readonly type: string; readonly reason?: string; readonly path: string };
}

function text(...lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function unified(path: string, ...lines: readonly string[]): string {
  return text(`--- a/${path}`, `+++ b/${path}`, ...lines);
}

const numbers = Array.from({ length: 40 }, (_, index) => String(index + 1));
const grown = text('1', 'n1', 'n2', 'n3', 'n4', 'n5', ...numbers.slice(1)).replace('31\n', 'X\n');

function growing(second: string): string {
  return unified(
    'f',
    '@@ -1,3 +1,8 @@',
    ' 1',
    '+n1',
    '+n2',
    '+n3',
    '+n4',
    '+n5',
    ' 2',
    ' 3',
    second,
    ' 30',
    '-31',
    '+X',
    ' 32',
  );
}

/** The cases of patches. */
export const patchCases: readonly PatchCase[] = [
  {
    id: 'PATCH-001: CRLF target, LF patch',
    files: { f: 'foo\r\nbar\r\nbaz\r\n' },
    diffs: [unified('f', '@@ -1,3 +1,4 @@', ' foo', '-bar', '+BAR', '+NEW', ' baz')],
    after: { f: 'foo\r\nBAR\r\nNEW\r\nbaz\r\n' },
  },
  {
    id: 'PATCH-003: fuzz must never delete a line that differs',
    files: { f: 'foo\nSOMETHING ELSE\nbaz\nqux\n' },
    diffs: [unified('f', '@@ -1,4 +1,3 @@', ' foo', '-bar', ' baz', ' qux')],
    after: { f: 'foo\nSOMETHING ELSE\nbaz\nqux\n' },
    refused: { type: 'version_conflict', reason: 'context_mismatch', path: 'f' },
  },
  {
    id: 'PATCH-006: pure-addition hunk goes where its context says',
    files: { f: 'def a():\n    pass\n\ndef b():\n    pass\n' },
    diffs: [
      text('*** Begin Patch', '*** Update File: f', '@@ def a():', '+    x = 1', '*** End Patch'),
    ],
    after: { f: 'def a():\n    x = 1\n    pass\n\ndef b():\n    pass\n' },
  },
  {
    id: 'PATCH-006: an anchor that is absent is an error, not an append',
    files: { f: 'def a():\n    pass\n\ndef b():\n    pass\n' },
    diffs: [
      text('*** Begin Patch', '*** Update File: f', '@@ def c():', '+    x = 1', '*** End Patch'),
    ],
    after: { f: 'def a():\n    pass\n\ndef b():\n    pass\n' },
    refused: { type: 'version_conflict', reason: 'context_mismatch', path: 'f' },
  },
  {
    id: 'PATCH-007: look-alike dashes in context',
    files: { f: 'top\u2013level\nx\n' },
    diffs: [unified('f', '@@ -1,2 +1,2 @@', ' top-level', '-x', '+y')],
    after: { f: 'top\u2013level\nx\n' },
    refused: { type: 'version_conflict', reason: 'context_mismatch', path: 'f' },
  },
  {
    id: 'PATCH-007: look-alike dashes in a removed line',
    files: { f: 'top\u2013level\nx\n' },
    diffs: [unified('f', '@@ -1,2 +1,2 @@', '-top-level', '+bottom', ' x')],
    after: { f: 'top\u2013level\nx\n' },
    refused: { type: 'version_conflict', reason: 'context_mismatch', path: 'f' },
  },
  {
    id: 'PATCH-008: deleted SQL comment looks like a file header',
    files: { 't.sql': '-- note\na\nb\nc\nd\nx\n' },
    diffs: [unified('t.sql', '@@ -1 +1 @@', '--- note', '+-- NOTE', '@@ -6 +6 @@', '-x', '+y')],
    after: { 't.sql': '-- NOTE\na\nb\nc\nd\ny\n' },
  },
  {
    id: 'PATCH-009: added line starting with "++ "',
    files: { f: 'a\n' },
    diffs: [unified('f', '@@ -1 +1,2 @@', ' a', '+++ b/other')],
    after: { f: 'a\n++ b/other\n' },
  },
  {
    id: 'PATCH-010: mail trailer after the last hunk',
    files: { f: 'a\n- error\n' },
    diffs: [
      text(
        'From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001',
        'From: A <a@example.test>',
        'Subject: [PATCH] Fix',
        '',
        '---',
        ' f | 2 +-',
        ' 1 file changed, 1 insertion(+), 1 deletion(-)',
        '',
        'diff --git a/f b/f',
        'index 1111111..2222222 100644',
        '--- a/f',
        '+++ b/f',
        '@@ -1,2 +1,2 @@',
        ' a',
        '-- error',
        '+- Error',
        '-- ',
        '2.40.0',
        '',
      ),
    ],
    after: { f: 'a\n- Error\n' },
  },
  {
    id: 'PATCH-011: prose before the first header',
    files: { f: 'old\n' },
    diffs: [`Fix it\n\nhttp://example.test/3\n${unified('f', '@@ -1 +1 @@', '-old', '+new')}`],
    after: { f: 'new\n' },
  },
  {
    id: 'PATCH-015: quoted C-style path',
    files: { '中文.txt': '1\n' },
    diffs: [
      text(
        String.raw`--- "a/\344\270\255\346\226\207.txt"`,
        String.raw`+++ "b/\344\270\255\346\226\207.txt"`,
        '@@ -1 +1 @@',
        '-1',
        '+2',
      ),
    ],
    after: { '中文.txt': '2\n' },
  },
  {
    id: 'PATCH-018: line number hint does not beat content',
    files: { f: 'A\nB\nC\nY\nD\nE\nF\nX\n' },
    diffs: [unified('f', '@@ -2,7 +2,7 @@', ' A', ' B', ' C', '-Y', '+Z', ' D', ' E', ' F')],
    after: { f: 'A\nB\nC\nZ\nD\nE\nF\nX\n' },
  },
  {
    id: 'PATCH-020: multi-file patch is atomic',
    files: { 'first.txt': 'one\n', 'second.txt': 'two\n' },
    diffs: [
      text(
        '--- a/first.txt',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-one',
        '--- /dev/null',
        '+++ b/deep/new.txt',
        '@@ -0,0 +1 @@',
        '+new',
        '--- a/second.txt',
        '+++ b/second.txt',
        '@@ -1 +1 @@',
        '-TWO',
        '+2',
      ),
    ],
    after: { 'first.txt': 'one\n', 'second.txt': 'two\n' },
    refused: { type: 'version_conflict', reason: 'context_mismatch', path: 'second.txt' },
  },
  {
    id: 'PATCH-021: re-applying an applied patch',
    files: { f: 'a\nb\n' },
    diffs: [
      unified('f', '@@ -1,2 +1,3 @@', ' a', '+n', ' b'),
      unified('f', '@@ -1,2 +1,3 @@', ' a', '+n', ' b'),
    ],
    after: { f: 'a\nn\nb\n' },
    refused: { type: 'version_conflict', reason: 'already_applied', path: 'f' },
  },
  {
    id: 'PATCH-022: earlier hunk changes the offsets of later ones',
    files: { f: text(...numbers) },
    diffs: [growing('@@ -30,3 +35,3 @@')],
    after: { f: grown },
  },
  {
    id: 'PATCH-022: a new-side start that was not adjusted',
    files: { f: text(...numbers) },
    diffs: [growing('@@ -30,3 +30,3 @@')],
    after: { f: grown },
  },
  {
    id: 'PATCH-023: add-file where the file exists',
    files: { 'f.txt': 'keep\n' },
    diffs: [text('--- /dev/null', '+++ b/f.txt', '@@ -0,0 +1 @@', '+new')],
    after: { 'f.txt': 'keep\n' },
    refused: { type: 'invalid_argument', reason: 'already_exists', path: 'f.txt' },
  },
];
