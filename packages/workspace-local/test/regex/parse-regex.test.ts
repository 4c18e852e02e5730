import { describe, expect, test } from 'vitest';
import { parseRegex } from '../../src/regex/parse-regex.ts';
import { RegexError } from '../../src/regex/syntax.ts';
import { matchingLines } from '../scan/match-text.ts';

const refusalOf = (pattern: string) => {
  try {
    parseRegex(pattern);
    return 'none';
  } catch (error) {
    if (error instanceof RegexError) return error.refusal;
    throw error;
  }
};

describe('refused by name', () => {
  test.each([
    ['(?=a)b', 'look_around'],
    ['(?!a)b', 'look_around'],
    ['(?<=a)b', 'look_around'],
    ['(?<!a)b', 'look_around'],
    ['(a)\\1', 'back_reference'],
    ['(?P<x>a)(?P=x)', 'back_reference'],
    ['(?<x>a)\\k<x>', 'back_reference'],
    ['(?>a+)b', 'unsupported_syntax'],
    ['(?-u)\\xFF', 'unsupported_syntax'],
    ['(a{1000}){1000}', 'none'],
    ['a{1001}', 'too_large'],
    ['('.repeat(300) + ')'.repeat(300), 'too_large'],
  ])('%s', (pattern, refusal) => {
    expect(refusalOf(pattern)).toBe(refusal);
  });
});

test.each([
  '(',
  ')',
  '[',
  '[a',
  '[]',
  '[^]',
  '*a',
  '+',
  '?',
  'a|*',
  '(*)',
  '{',
  'a{',
  'a{2',
  'a{,2}',
  'a{2,1}',
  'a{x}',
  '\\',
  '\\Z',
  '\\e',
  '\\Qa\\E',
  '\\C',
  '[\\b]',
  '[b-a]',
  '[a-\\d]',
  '\\p{Foo}',
  '\\x{110000}',
  '\\xg0',
  '\\u12',
  '(?P<1>a)',
  '(?<a',
  '(?<a>x)(?<a>y)',
  '(?P<a>x)|(?<a>y)',
  '(?i-)x',
  '(?-:x)',
  '(?q)',
  '[[:alpha:]',
  '[[]',
  '\\b{middle}',
  '(?i',
])('a syntax error: %s', (pattern) => {
  expect(refusalOf(pattern)).toBe('syntax');
});

test.each<[string, string, boolean]>([
  ['a{ 1, 2 }', 'aa', true],
  ['}', '}', true],
  [']', ']', true],
  ['[]a]', ']', true],
  ['[^]a]', ']', false],
  ['[a-]', '-', true],
  ['[--/]', '/', true],
  ['[a-z&&[^aeiou]]', 'e', false],
  ['[a-z--b-d]', 'c', false],
  ['[a-c~~b-d]', 'b', false],
  ['[[:^digit:]x]', '5', false],
  ['[\\w&&\\d]', '7', true],
  ['(?x) a b # comment', 'ab', true],
  ['(?i)ab(?-i)C', 'ABC', true],
  ['(?i:a)B', 'Ab', false],
  ['(?s-i:a.)', 'ab', true],
  ['\\<a\\>', 'a b', true],
  ['\\b{start}b', 'ab', false],
  ['\\x41\\u0042\\U00000043\\x{44}', 'ABCD', true],
  ['\\a\\f\\v\\t', '\u0007\f\v\t', true],
  ['\\-\\/\\ \\#\\"', '-/ #"', true],
  ['a**', 'b', true],
  ['\\Aab\\z', 'ab', true],
  ['\\P{L}', 'a', false],
  ['\\p{^L}', '1', true],
  ['(?:)*a', 'a', true],
])('%s on %j', (pattern, text, matches) => {
  expect(matchingLines(pattern, text)).toEqual(matches ? [1] : []);
});
