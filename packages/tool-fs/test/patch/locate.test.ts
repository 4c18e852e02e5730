import { describe, expect, test } from 'vitest';
import { applyHunks } from '../../src/patch/apply.ts';
import { editText, uneditedText } from '../../src/patch/edited-text.ts';
import { parsePatch } from '../../src/patch/parse.ts';

/** The text after the hunks, or why one of them was not placed. */
function locate(text: string, hunks: string): unknown {
  const outcome = applyHunks(text, parsePatch(hunks, 'f')[0]?.hunks ?? []);
  return outcome.kind === 'applied'
    ? editText(uneditedText(text), outcome.splices).text
    : outcome.locations.find(({ kind }) => kind !== 'placed');
}

function envelope(...lines: readonly string[]): string {
  return ['*** Begin Patch', '*** Update File: f', ...lines, '*** End Patch', ''].join('\n');
}

const twice = 'a\nx\nb\nc\na\nx\nb\n';

describe('several places', () => {
  test('the number decides when it is right', () => {
    expect(locate(twice, '@@ -5,2 +5,2 @@\n a\n-x\n+y\n')).toBe('a\nx\nb\nc\na\ny\nb\n');
  });

  test('a wrong number is refused, with the places', () => {
    expect(locate(twice, '@@ -3,2 +3,2 @@\n a\n-x\n+y\n')).toEqual({
      kind: 'ambiguous',
      places: [0, 4],
    });
    expect(locate(twice, '@@\n a\n-x\n+y\n')).toEqual({ kind: 'ambiguous', places: [0, 4] });
  });

  test('what the hunk before leaves decides', () => {
    expect(locate(twice, '@@\n-c\n+C\n@@\n a\n-x\n+y\n')).toBe('a\nx\nb\nC\na\ny\nb\n');
  });

  test('the offset of the hunk before is gone by', () => {
    const text = `0\n0\n0\n${twice}`;
    const hunks = '@@ -3,2 +3,2 @@\n b\n-c\n+C\n@@ -5,2 +5,2 @@\n a\n-x\n+y\n';
    expect(locate(text, hunks)).toBe('0\n0\n0\na\nx\nb\nC\na\ny\nb\n');
  });

  test('the number and the offset of the hunk before against each other are refused', () => {
    const text = '0\nu\nv\n1\n2\nx\nx\n';
    expect(locate(text, '@@ -1,2 +1,2 @@\n-u\n+U\n v\n@@ -6 +6 @@\n-x\n+y\n')).toEqual({
      kind: 'ambiguous',
      places: [6, 5],
    });
  });
});

describe('order', () => {
  test('a hunk whose only place is before the others goes there', () => {
    expect(locate('a\nb\nc\nd\n', '@@\n-d\n+D\n@@\n-a\n+A\n')).toBe('A\nb\nc\nD\n');
  });

  test('contexts may overlap, changes may not', () => {
    const hunks = '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -3,3 +3,3 @@\n c\n-d\n+D\n e\n';
    expect(locate('a\nb\nc\nd\ne\n', hunks)).toBe('a\nB\nc\nD\ne\n');
    const clash = '@@ -1,2 +1,2 @@\n a\n-b\n+B\n@@ -2,2 +2,2 @@\n-b\n+X\n c\n';
    expect(locate('a\nb\nc\n', clash)).toEqual({ kind: 'overlapping', at: 1 });
  });

  test('lines are those of the file as it was, for every hunk', () => {
    const hunks = '@@ -1 +1,3 @@\n+n\n+n\n a\n@@ -3 +5 @@\n-c\n+C\n';
    expect(locate('a\nb\nc\n', hunks)).toBe('n\nn\na\nb\nC\n');
  });
});

describe('applied before', () => {
  test.each([
    ['replaced', 'a\nB\nc\n', '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n'],
    ['removed', 'a\nc\nd\n', '@@ -1,4 +1,3 @@\n a\n-b\n c\n d\n'],
    ['appended without context after', 'a\nb\nn\n', '@@ -2 +2,2 @@\n b\n+n\n'],
    ['put before without context before', 'n\na\nb\n', '@@ -1 +1,2 @@\n+n\n a\n'],
    ['appended by replacement', 'a\nn\n', '@@ -1 +1,2 @@\n-a\n+a\n+n\n'],
    ['inserted without context', 'a\nn\nb\n', '@@ -1,0 +2 @@\n+n\n'],
    ['inserted in the middle, without numbers', 'a\nn\nb\n', '@@\n a\n+n\n'],
    ['while the same lines are elsewhere', 'B\nx\ny\nb\n', '@@ -1 +1 @@\n-b\n+B\n'],
    ['moved since', 'top\nalpha\nBETA\n', '@@ -1,2 +1,2 @@\n alpha\n-beta\n+BETA\n'],
    ['emptied', '', '@@ -1 +0,0 @@\n-a\n'],
  ])('%s', (_, text, hunks) => {
    expect(locate(text, hunks)).toMatchObject({ kind: 'already_applied' });
  });

  test('an insertion between equal lines with context on both sides is taken at its number', () => {
    expect(locate('x\nx\nx\n', '@@ -1,2 +1,3 @@\n x\n+x\n x\n')).toBe('x\nx\nx\nx\n');
  });

  test('a common line alone proves nothing', () => {
    expect(locate('}\nb\n', '@@ -7 +7 @@\n-a\n+}\n')).toEqual({ kind: 'mismatch' });
  });
});

describe('anchors', () => {
  const text = 'class A:\n  def f(self):\n    pass\n\nclass B:\n  def f(self):\n    pass\n';

  test('the first place after the anchor is meant', () => {
    expect(locate(text, envelope('@@ class A:', '-    pass', '+    return'))).toBe(
      text.replace('pass', 'return'),
    );
    expect(
      locate(text, envelope('@@ class B:', '@@   def f(self):', '-    pass', '+    return')),
    ).toBe(text.replace(/pass\n$/u, 'return\n'));
  });

  test('an anchor may be indented otherwise, or be the beginning of a line', () => {
    expect(locate(text, envelope('@@   class B', '-    pass', '+    return'))).toBe(
      text.replace(/pass\n$/u, 'return\n'),
    );
  });

  test('the anchor itself may be the first context line', () => {
    expect(locate(text, envelope('@@ class B:', ' class B:', '+  x = 1'))).toBe(
      text.replace('class B:\n', 'class B:\n  x = 1\n'),
    );
  });

  test('an anchor at several places is refused where they differ', () => {
    expect(locate(text, envelope('@@   def f(self):', '-    pass', '+    return'))).toEqual({
      kind: 'ambiguous',
      places: [2, 6],
    });
    expect(locate(text, envelope('@@   def f(self):', '+    x = 1'))).toEqual({
      kind: 'ambiguous',
      places: [2, 6],
    });
  });

  test('the hunk before decides between anchors', () => {
    const hunks = envelope(
      '@@ class B:',
      '+  y = 2',
      '@@   def f(self):',
      '-    pass',
      '+    return',
    );
    expect(locate(text, hunks)).toBe(
      text.replace('class B:\n', 'class B:\n  y = 2\n').replace(/pass\n$/u, 'return\n'),
    );
  });

  test('one that is not there, also not inside the one around it, is told', () => {
    expect(locate(text, envelope('@@ class C:', '-    pass', '+    return'))).toEqual({
      kind: 'anchor_missing',
      anchor: 'class C:',
    });
    expect(locate(text, envelope('@@ class B:', '@@ class A:', '-    pass', '+    x'))).toEqual({
      kind: 'anchor_missing',
      anchor: 'class A:',
    });
  });

  test('lines that are only added need a place', () => {
    expect(locate(text, envelope('@@', '+x'))).toEqual({ kind: 'unplaced' });
    expect(locate(text, envelope('+x', '*** End of File'))).toBe(`${text}x\n`);
    expect(locate(`${text}x\n`, envelope('+x', '*** End of File'))).toMatchObject({
      kind: 'already_applied',
    });
  });

  test('the end of the file is a place', () => {
    const end = envelope('-    pass', '+    return', '*** End of File');
    expect(locate(text, end)).toBe(text.replace(/pass\n$/u, 'return\n'));
    expect(locate(`${text}x\n`, end)).toEqual({ kind: 'mismatch' });
  });
});

test('a hunk that fits nowhere in a large monotonous file is refused without quadratic work', () => {
  const text = `${'x\n'.repeat(200_000)}y\n`;
  const hunk = `@@ -7,501 +7,501 @@\n${' x\n'.repeat(500)}-z\n+w\n`;
  const hunks = hunk.repeat(20);
  expect(locate(text, hunks)).toEqual({ kind: 'mismatch' });
}, 20_000);

test('a diff that would need endless searching is refused', () => {
  const lines = Array.from({ length: 100_000 }, (_, index) => (index % 7 < 3 ? 'x' : 'y'));
  const context = `${' x\n x\n x\n y\n y\n y\n y\n'.repeat(10)} x\n x\n x\n x\n`;
  const hunks = `@@\n${context}+w\n`.repeat(3000);
  expect(() => locate(`${lines.join('\n')}\n`, hunks)).toThrow(
    expect.objectContaining({ type: 'limit_exceeded', reason: 'search' }),
  );
}, 60_000);
