import { expect, test } from 'vitest';
import { hostMatcher } from '../../src/policy/match-host.ts';

test.each<[string, string, string | undefined, boolean]>([
  ['api.example.com', 'api.example.com:443', undefined, true],
  ['api.example.com', 'api.example.com:8443', undefined, true],
  ['api.example.com:443', 'api.example.com:443', undefined, true],
  ['api.example.com:443', 'api.example.com:80', undefined, false],
  ['api.example.com:*', 'api.example.com:80', undefined, true],
  ['API.Example.com', 'api.example.COM.:443', undefined, true],
  ['*.example.com', 'a.example.com:443', undefined, true],
  ['*.example.com', 'a.b.example.com:443', undefined, true],
  ['*.example.com', 'example.com:443', undefined, false],
  ['*.example.com', 'badexample.com:443', undefined, false],
  ['*.example.com', 'example.com.evil.test:443', undefined, false],
  ['example.com', 'example.com.evil.test:443', undefined, false],
  ['api-*.example.com', 'api-eu.example.com:443', undefined, true],
  ['api-*.example.com', 'api-eu.evil.example.com:443', undefined, false],
  ['api.*.com', 'api.a.b.com:443', undefined, false],
  ['*.com', 'com:443', undefined, false],
  ['*.*', 'localhost:80', undefined, false],
  ['127.0.0.1:8080', '127.0.0.1:8080', undefined, true],
  ['127.0.0.*', '127.0.0.9:80', undefined, true],
  ['[2001:db8::1]', '[2001:DB8::1]:443', undefined, true],
  ['[2001:db8::1]:443', '[2001:db8::1]:80', undefined, false],
  ['*.1', '[::1]:80', undefined, false],
  ['POST api.example.com', 'api.example.com:443', 'POST', true],
  ['POST api.example.com', 'api.example.com:443', undefined, false],
  ['POST api.example.com', 'api.example.com:443', 'PUT', false],
  ['GET *.example.com', 'a.example.com:443', undefined, true],
  ['GET *.example.com', 'a.example.com:443', 'HEAD', true],
  ['HEAD *.example.com', 'a.example.com:443', 'GET', true],
  ['GET *.example.com', 'a.example.com:443', 'POST', false],
  ['GET *', 'anything:1', undefined, true],
])('%s and %s %s: %s', (...[pattern, target, method, matches]) => {
  const effect = { kind: 'net', target, ...(method === undefined ? {} : { method }) } as const;
  expect(hostMatcher(pattern).match(effect)).toBe(matches ? 'all' : 'none');
});

test.each([
  '',
  'a..b',
  'https://example.com',
  'example.com/path',
  'user@example.com',
  'a:b:c',
  'münchen.de',
  'a b',
  'get a',
])('%j is no host pattern', (pattern) => {
  expect(() => hostMatcher(pattern)).toThrow(TypeError);
});
