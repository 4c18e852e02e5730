import { expect, test } from 'vitest';
import { tokensOf } from '../../src/text/scan-tokens.ts';

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
