import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RegexError } from '../../src/regex/syntax.ts';
import { matchingLines, matchText } from './match-text.ts';

const runs = process.env['TOOLWRIGHT_LONG'] === '1' ? 5000 : 500;

describe('by lines', () => {
  test.each([
    ['needle$', [1]],
    ['^hay$', [2]],
    ['y$', [2]],
    ['.$', [1, 2]],
    ['needle\\r$', [1]],
    ['\\s$', []],
  ])('GREP-002: %s before CR LF', (pattern, lines) => {
    expect(matchingLines(pattern, 'needle\r\nhay\r\n')).toEqual(lines);
  });

  test.each(['^', 'x*', '$', '', '()'])(
    'GREP-009: %j matches each line once, none after the last',
    (pattern) => {
      expect(matchingLines(pattern, 'one\ntwo\n')).toEqual([1, 2]);
      expect(matchingLines(pattern, 'one\ntwo')).toEqual([1, 2]);
      expect(matchingLines(pattern, '\n')).toEqual([1]);
      expect(matchingLines(pattern, '')).toEqual([]);
    },
  );

  test('GREP-019: ^$ finds empty lines alone', () => {
    expect(matchingLines('^$', 'y\n'.repeat(100_000))).toEqual([]);
    expect(matchingLines('^$', 'y\n\ny\n\r\n')).toEqual([2, 4]);
  });

  test('characters are code points, whatever their bytes', () => {
    const text = 'a中b\n日本語\ne\u0301\n😀\n\u00e9\n';
    expect(matchingLines('^.$', text)).toEqual([4, 5]);
    expect(matchingLines('^..$', text)).toEqual([3]);
    expect(matchingLines('^\\w+$', text)).toEqual([1, 2, 3, 5]);
    expect(matchingLines('[一-龥]', text)).toEqual([1, 2]);
    expect(matchingLines('\\p{Han}b', text)).toEqual([1]);
    expect(matchingLines('\\bb', text)).toEqual([]);
    expect(matchingLines('É', text, { caseSensitive: false })).toEqual([5]);
  });

  test('case folds as Unicode has it, in words that hold k and s too', () => {
    const text = 'Kelvin \u212A\nma\u017Fk\nSTRASSE\nstraße\nΣΊΣΥΦΟΣ\nı\n';
    const found = (pattern: string) => matchingLines(pattern, text, { caseSensitive: false });
    expect(found('k')).toEqual([1, 2]);
    expect(found('MASK')).toEqual([2]);
    expect(found('STRAẞE')).toEqual([4]);
    expect(found('σίσυφος')).toEqual([5]);
    expect(found('^i$')).toEqual([]);
  });

  test('bytes that are no UTF-8 match nothing and hide nothing', () => {
    const bytes = Buffer.from('63616666e920612e62ff0a6f6b0a', 'hex');
    expect(matchingLines('caff', bytes)).toEqual([1]);
    expect(matchingLines('caff.', bytes)).toEqual([]);
    expect(matchingLines('a\\.b', bytes)).toEqual([1]);
    expect(matchingLines('ok', bytes)).toEqual([2]);
  });

  test('nested quantifiers take linear time', () => {
    const line = 'a'.repeat(1 << 20);
    for (const pattern of ['(a+)+$', '(a|aa)+$', '(a*)*b', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
      expect(matchingLines(pattern, `${line}!\n${line}\n`)).toEqual(
        pattern.endsWith('b') || pattern.startsWith('^') ? [] : [2],
      );
    }
  });
});

describe('across lines', () => {
  test('GREP-017: each match is told at the line where it begins', () => {
    const first = matchText('\\Wa', '.a1\n.a2\n', { multiline: true });
    expect(first.map(({ first: line, last }) => [line, last])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    const second = matchText('foo\\(\\n bar', 'x\nfoo(\n bar)\n', { multiline: true });
    expect(second).toEqual([{ first: 2, last: 3, start: 2, end: 11 }]);
  });

  test('a line feed in the pattern also matches CR LF, unless the pattern names CR', () => {
    expect(matchText('a\\nb', 'a\r\nb', { multiline: true })).toHaveLength(1);
    expect(matchText('a\\r\\nb', 'a\r\nb', { multiline: true })).toHaveLength(1);
    expect(matchText('a\\r\\nb', 'a\nb', { multiline: true })).toHaveLength(0);
  });

  test('a search by lines refuses a line break', () => {
    expect(() => matchText('a\\nb', '')).toThrow(RegexError);
    expect(() => matchText('a\nb', '', { literal: true })).toThrow(RegexError);
  });
});

/** Patterns on which this dialect and JavaScript's agree. */
const atom = fc.constantFrom(
  'a',
  'b',
  'c',
  '.',
  '[ab]',
  '[^a]',
  '[b-d]',
  'é',
  '中',
  '\\.',
  ' ',
  '\\d',
  '^',
  '$',
  '(?:ab|c)',
  '(?:a|)',
);
const pattern: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    fc.tuple(tie('node'), tie('node')).map(([a, b]) => a + b),
    fc.tuple(tie('node'), tie('node')).map(([a, b]) => `(?:${a}|${b})`),
    fc
      .tuple(
        tie('node'),
        fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{0}', '*?', '+?', '??', '{2,}'),
      )
      .map(([a, quantifier]) => `(?:${a})${quantifier}`),
  ),
})).node;
const text = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd', 'é', '中', '.', ' ', '1', '\n', '\n', '😀'), {
    maxLength: 40,
  })
  .map((parts) => parts.join(''));

test('agrees with JavaScript on which lines match', () => {
  fc.assert(
    fc.property(pattern, text, fc.boolean(), (source, input, ignoreCase) => {
      const regex = new RegExp(source, ignoreCase ? 'iu' : 'u');
      const lines = (input.endsWith('\n') ? input.slice(0, -1) : input).split('\n');
      const expected =
        input === '' ? [] : lines.flatMap((line, index) => (regex.test(line) ? [index + 1] : []));
      expect(matchingLines(source, input, { caseSensitive: !ignoreCase })).toEqual(expected);
    }),
    { numRuns: runs, seed: 1 },
  );
});

test('agrees with JavaScript on where matches across lines begin and end', () => {
  fc.assert(
    fc.property(pattern, text, (source, input) => {
      const expected = [...input.matchAll(new RegExp(source, 'gmu'))]
        .map((match) => {
          const start = Buffer.byteLength(input.slice(0, match.index));
          return [start, start + Buffer.byteLength(match[0])] as const;
        })
        .filter(
          ([start]) =>
            input !== '' && !(start === Buffer.byteLength(input) && input.endsWith('\n')),
        );
      const found = matchText(source, input, { multiline: true });
      // An empty match right after another is told by JavaScript too; both are on the same line.
      expect(found.map(({ start, end }) => [start, end])).toEqual(expected);
    }),
    { numRuns: runs, seed: 2 },
  );
});
