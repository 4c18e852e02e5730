import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planEdits } from '../../src/edit/plan-edits.ts';
import type { EditPlan, TextEdit } from '../../src/edit/plan-edits.ts';

const edit = (search: string, replacement: string, all = false): TextEdit => ({
  search,
  replacement,
  all,
});

/** The text after the edits, or why not. */
function outcome(text: string, edits: readonly TextEdit[]): string | { readonly kind: string } {
  const plan = planEdits(text, edits);
  return plan.ok ? spliced(text, plan) : { kind: plan.failure.kind };
}

/** What the splices make of the original text. */
function spliced(text: string, plan: EditPlan): string {
  if (!plan.ok) throw new Error(plan.failure.kind);
  let result = '';
  let at = 0;
  for (const { start, end, replacement } of plan.splices) {
    expect(start).toBeGreaterThanOrEqual(at);
    result += text.slice(at, start) + replacement;
    at = end;
  }
  return result + text.slice(at);
}

describe('line endings', () => {
  test.each([
    ['added lines end as the line beside them', 'a\r\nb\nc\r\n', 'b', 'b\nB', 'a\r\nb\nB\nc\r\n'],
    ['in CRLF too', 'a\r\nb\r\nc\n', 'b', 'b\nB', 'a\r\nb\r\nB\r\nc\n'],
    ['kept lines keep their own', 'a\r\nb\nc\r\nd', 'a\nb\nc', 'A\nb\nC', 'A\r\nb\nC\r\nd'],
    ['the last line takes that of the line before', 'a\r\nb', 'b', 'b\nc', 'a\r\nb\r\nc'],
    ['CRLF in the search text is no matter', 'a\nb\nc\n', 'a\r\nb', 'a\r\nX\r\nb', 'a\nX\nb\nc\n'],
    ['a lone CR is an ordinary character', 'a\rb\n', 'a\rb', 'a\rc', 'a\rc\n'],
    ['a text of one line takes them as given', 'ab', 'ab', 'a\r\nb', 'a\nb'],
    ['deleting lines takes their endings along', 'a\r\nb\r\nc\r\n', 'a\nb\n', '', 'c\r\n'],
    ['an edit of nothing but endings is done as given', 'a\nb\n', 'a\n', 'a\r\n', 'a\r\nb\n'],
  ])('%s', (...[, text, search, replacement, expected]) => {
    const plan = planEdits(text, [edit(search, replacement)]);
    expect(spliced(text, plan)).toBe(expected);
  });
});

describe('trailing white space', () => {
  test('is matched when it is all that differs, and stays where lines stay', () => {
    const text = 'if x:  \n    a() \n    b()\t\nend\n';
    const plan = planEdits(text, [edit('if x:\n    a()\n    b()', 'if x:\n    a()\n    c()')]);
    expect(plan).toMatchObject({ ok: true, edits: [{ tier: 'trailing_whitespace', lines: [1] }] });
    expect(spliced(text, plan)).toBe('if x:  \n    a() \n    c()\t\nend\n');
  });

  test('of the search text says that the line ends there', () => {
    expect(outcome('foobar\nx\n', [edit('foo ', 'y')])).toEqual({ kind: 'no_match' });
    expect(outcome('foo\nx\n', [edit('foo ', 'y')])).toBe('y\nx\n');
  });

  test('between words is a difference', () => {
    expect(outcome('a  b\n', [edit('a b', 'x')])).toEqual({ kind: 'no_match' });
  });
});

describe('indentation', () => {
  test.each([
    [
      'deeper in the file',
      'class A {\n    run() {\n        go();\n    }\n}\n',
      'run() {\n    go();\n}\n',
      'run() {\n    stop();\n\n    go();\n}\n',
      'class A {\n    run() {\n        stop();\n\n        go();\n    }\n}\n',
    ],
    [
      'shallower in the file',
      'run() {\n    go();\n}\n',
      '    run() {\n        go();\n    }\n',
      '    run() {\n        stop();\n    }\n',
      'run() {\n    stop();\n}\n',
    ],
    [
      'tabs in the file',
      'f() {\n\tif (x) {\n\t\tgo();\n\t}\n}\n',
      '    if (x) {\n        go();\n',
      '    if (y) {\n        stop();\n        go();\n',
      'f() {\n\tif (y) {\n\t\tstop();\n\t\tgo();\n\t}\n}\n',
    ],
    [
      'blanks in the file',
      'f() {\n  if (x) {\n    go();\n  }\n}\n',
      '\tif (x) {\n\t\tgo();',
      '\tif (x) {\n\t\tstop();',
      'f() {\n  if (x) {\n    stop();\n  }\n}\n',
    ],
  ])('%s', (...[, text, search, replacement, expected]) => {
    const plan = planEdits(text, [edit(search, replacement)]);
    expect(plan).toMatchObject({ ok: true, edits: [{ tier: 'indentation', count: 1 }] });
    expect(spliced(text, plan)).toBe(expected);
  });

  test('that no one rule explains is a difference', () => {
    const text = '  a\n      b\n';
    expect(outcome(text, [edit('a\nb\n', 'x\n')])).toEqual({ kind: 'no_match' });
  });

  test('into which the replacement cannot be turned is a difference', () => {
    // The file has two blanks fewer; a line of the replacement has only one to give.
    const text = 'a()\n';
    expect(outcome(text, [edit('  a()\n', '  a()\n b()\n')])).toEqual({
      kind: 'no_match',
    });
  });

  test('right first and last lines do not make up for a wrong middle', () => {
    const text = 'function f() {\n  one();\n  two();\n}\n';
    expect(outcome(text, [edit('function f() {\n  other();\n  thing();\n}\n', 'gone')])).toEqual({
      kind: 'no_match',
    });
  });
});

describe('look-alike characters', () => {
  test('are matched, and stay where the text stays', () => {
    const text = 'say \u201cit\u2019s\u00a0fine\u201d \u2013 now\u2026\nrest \u2018x\u2019\n';
    const plan = planEdits(text, [edit('say "it\'s fine" - now...', 'say "it\'s good" - now...')]);
    expect(plan).toMatchObject({ ok: true, edits: [{ tier: 'unicode', count: 1 }] });
    expect(spliced(text, plan)).toBe(
      'say \u201cit\u2019s\u00a0good\u201d \u2013 now\u2026\nrest \u2018x\u2019\n',
    );
  });

  test('composed and decomposed characters are the same', () => {
    const text = 'cafe\u0301 = 1\n';
    const plan = planEdits(text, [edit('café = 1', 'café = 2')]);
    expect(plan).toMatchObject({ edits: [{ tier: 'unicode' }] });
    expect(spliced(text, plan)).toBe('cafe\u0301 = 2\n');
  });

  test('a match does not end inside of one', () => {
    expect(outcome('a\u2026b\n', [edit('a..', 'x')])).toEqual({ kind: 'no_match' });
  });

  test('twice is ambiguous', () => {
    const plan = planEdits('x\u2019y\nx\u2018y\n', [edit("x'y", 'z')]);
    expect(plan).toMatchObject({ failure: { kind: 'ambiguous', tier: 'unicode', count: 2 } });
  });
});

describe('several edits', () => {
  test('are matched on the original text', () => {
    expect(outcome('a b\n', [edit('a', 'b'), edit('b', 'c')])).toBe('b c\n');
    expect(outcome('a\nb\n', [edit('a', 'x'), edit('a', 'y')])).toEqual({
      kind: 'overlap',
    });
  });

  test('and on the text so far when they do not stand there', () => {
    const plan = planEdits('a\nz\n', [edit('a', 'b\nc'), edit('c\nz', 'd'), edit('b', 'B')]);
    expect(spliced('a\nz\n', plan)).toBe('B\nd\n');
  });

  test('must not overlap', () => {
    const plan = planEdits('abcd\n', [edit('abc', 'x'), edit('bcd', 'y')]);
    expect(plan).toMatchObject({ failure: { kind: 'overlap', index: 1, other: 0 } });
  });

  test('may touch', () => {
    expect(outcome('ab\n', [edit('b', 'B'), edit('a', 'A')])).toBe('AB\n');
  });

  test('name the one that fails, and nothing is done', () => {
    const plan = planEdits('a\nb\n', [edit('a', 'x'), edit('nope', 'y')]);
    expect(plan).toMatchObject({ ok: false, failure: { kind: 'no_match', index: 1 } });
  });

  test('one that an earlier one made void says so', () => {
    const plan = planEdits('abc\n', [edit('ac', 'x'), edit('b', 'y')]);
    expect(plan).toMatchObject({ failure: { kind: 'no_match', index: 0 } });
    const late = planEdits('one two\n', [
      edit('one', '1 one'),
      edit('1 one two', 'x'),
      edit('two', '2'),
    ]);
    expect(late).toMatchObject({ failure: { kind: 'overlap', index: 2, other: null } });
  });
});

test('a miss tells the closest text with a character diff', () => {
  const text = 'alpha\n  const limit = 100;\nomega\n';
  const plan = planEdits(text, [edit('const limlt = 10;', 'x')]);
  expect(plan).toMatchObject({
    failure: { kind: 'no_match', candidates: [{ line: 2, text: '  const limit = 100;' }] },
  });
  if (plan.ok || plan.failure.kind !== 'no_match') throw new Error('not a miss');
  expect(plan.failure.candidates[0]?.diff).toMatch(/\[-l-\]|\{\+i\+\}/);
});

test('a miss among lines that agree is told where most of them do', () => {
  const lines = Array.from({ length: 50 }, (_, index) => `line number ${index}`);
  const search = [...lines.slice(20, 23), 'something else', ...lines.slice(24, 26)].join('\n');
  const plan = planEdits(`${lines.join('\n')}\n`, [edit(search, 'x')]);
  expect(plan).toMatchObject({ failure: { candidates: [{ line: 21 }] } });
});

test('an exact edit is what replacing once in LF text is, and touches only the match', () => {
  const character = fc.constantFrom('a', 'b', ' ', '\n', '\r\n', '\t', 'é', '😀');
  const textOf = (maxLength: number) =>
    fc.array(character, { maxLength }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(
      textOf(30),
      textOf(6),
      textOf(30),
      textOf(6),
      (...[before, core, after, replacement]) => {
        const search = `<${core}>`;
        const text = before + search + after;
        fc.pre(search.replaceAll('\r\n', '\n') !== replacement.replaceAll('\r\n', '\n'));
        const plan = planEdits(text, [edit(search, replacement)]);
        expect(plan).toMatchObject({ ok: true, edits: [{ tier: 'exact', count: 1 }] });
        const result = spliced(text, plan);
        const lf = (value: string): string => value.replaceAll('\r\n', '\n');
        expect(lf(result)).toBe(lf(before) + lf(replacement) + lf(after));
        expect(result.startsWith(before)).toBe(true);
        expect(result.endsWith(after)).toBe(true);
      },
    ),
  );
});

test('replacing all replaces each, from left to right', () => {
  const parts = fc.array(fc.constantFrom('ab', 'c', '\n', 'x'), { maxLength: 40 });
  fc.assert(
    fc.property(parts, parts, (before, after) => {
      const text = [...before, 'ab', ...after].join('');
      const plan = planEdits(text, [edit('ab', 'Z', true)]);
      expect(plan).toMatchObject({ edits: [{ count: text.split('ab').length - 1 }] });
      expect(spliced(text, plan)).toBe(text.replaceAll('ab', 'Z'));
    }),
  );
});

test('many replacements of a large text take no quadratic time', { timeout: 20_000 }, () => {
  const text = 'key=value\r\n'.repeat(50_000);
  const plan = planEdits(text, [edit('key', 'name', true), edit('value', 'text', true)]);
  expect(spliced(text, plan)).toBe('name=text\r\n'.repeat(50_000));
});

test('a text of blanks takes no quadratic time', { timeout: 20_000 }, () => {
  const text = `${' '.repeat(400_000)}x\n`;
  expect(outcome(text, [edit('nothing like it', 'y')])).toEqual({ kind: 'no_match' });
});
