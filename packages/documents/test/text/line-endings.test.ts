import { expect, test } from 'vitest';
import { splitLines } from '../../src/index.ts';

test.each([
  ['', []],
  ['\n', ['']],
  ['l1\nl2\n', ['l1', 'l2']],
  ['l1\nl2', ['l1', 'l2']],
  ['a\r\nb\r', ['a', 'b\r']],
  ['a\rb\n', ['a\rb']],
  ['\n\n', ['', '']],
])('%j splits into %j', (text, lines) => {
  expect(splitLines(text)).toEqual(lines);
});
