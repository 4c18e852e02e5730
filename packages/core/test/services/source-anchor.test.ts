import { expect, test } from 'vitest';
import { toSourceAnchor } from '../../src/services/source-anchor.ts';

test('an anchor holds no userinfo, query or fragment', () => {
  expect(toSourceAnchor('https://user:pw@Example.com:8443/a%20b/c?token=s#frag')).toBe(
    'https://example.com:8443/a%20b/c',
  );
  expect(toSourceAnchor('http://[::1]:80')).toBe('http://[::1]/');
  expect(() => toSourceAnchor('no url')).toThrow(TypeError);
});
