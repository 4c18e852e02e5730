import { expect, test } from 'vitest';
import { foldCase } from '../../src/regex/case-folding.ts';
import { includesCodePoint, rangesOf, setOf } from '../../src/regex/code-point-set.ts';
import { unicodeProperty, wordSet } from '../../src/regex/unicode-classes.ts';

test('a letter folds with exactly what the engine matches without case', () => {
  const sample = Array.from(
    'kKsSßẞσςΣiIıİǅµμθϴÅåéⅷⓐaЖᏸΐὍ',
    (character) => character.codePointAt(0) ?? 0,
  );
  for (const codePoint of sample) {
    const folded = rangesOf(foldCase(setOf(codePoint))).flatMap(([low, high]) =>
      Array.from({ length: high - low + 1 }, (_, index) => low + index),
    );
    const regex = new RegExp(`^\\u{${codePoint.toString(16)}}$`, 'iu');
    const expected = [];
    for (let other = 0; other <= 0x1ffff; other += 1) {
      if (regex.test(String.fromCodePoint(other))) expected.push(other);
    }
    expect(folded).toEqual(expected);
  }
}, 30_000);

test('properties have loose names, and hold what the engine says', () => {
  expect(unicodeProperty('greek')).toEqual(unicodeProperty('Script=Greek'));
  expect(unicodeProperty('gc:Lu')).toEqual(unicodeProperty('Uppercase_Letter'));
  expect(unicodeProperty('no such thing')).toBeUndefined();
  const words = wordSet();
  const regex = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u;
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += codePoint < 0x3000 ? 1 : 37) {
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
    expect(includesCodePoint(words, codePoint)).toBe(regex.test(String.fromCodePoint(codePoint)));
  }
});
