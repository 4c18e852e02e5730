import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { TokenScanner, tokensOf } from '../../src/text/token-scanner.ts';

test.each<[string, string[]]>([
  ['HTTPServer2', ['httpserver2', 'http', 'server', '2']],
  ['用户检索', ['用', '户', '用户', '检', '户检', '索', '检索']],
  ['get_userName', ['get_username', 'get', 'username', 'user', 'name']],
  ['foo_foo', ['foo_foo', 'foo']],
  ['parseHTTP2Frame', ['parsehttp2frame', 'parse', 'http', '2', 'frame']],
  ['Hello wörld', ['hello', 'wörld']],
  ['__', []],
  ['_private', ['_private', 'private']],
  ['v8', ['v8', 'v', '8']],
  ['ΟΔΟΣ', ['οδος']],
  ['İstanbul x', ['İstanbul', 'x']],
  ['a中b', ['a', '中', 'b']],
  ['-> {} ;', []],
  ['Word', ['word']],
])('%s', (text, tokens) => {
  expect(tokensOf(text)).toEqual(tokens);
});

test('encoded data is no word', () => {
  expect(tokensOf(`x ${'Ab1'.repeat(100)} y`)).toEqual(['x', 'y']);
});

test('a part of a text has the tokens that it has alone, whatever the scanner read before', () => {
  const piece = fc.constantFrom('getUser', 'HTTP', '2', '_', ' ', '用', '户', 'é', 'x', 'É', '\n');
  const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));
  const scanner = new TokenScanner();
  fc.assert(
    fc.property(text, text, text, (before, middle, after) => {
      const ends = [before.length, before.length + middle.length] as const;
      const whole = before + middle + after;
      const tokens: string[] = [];
      scanner.load(whole);
      scanner.scan(...ends, (start, end) => {
        const units = scanner.folded.slice(start, end);
        expect(String.fromCharCode(...units)).toBe(scanner.cut(start, end));
        tokens.push(scanner.cut(start, end));
      });
      expect(tokens).toEqual(tokensOf(middle));
    }),
    { numRuns: 500 },
  );
});
