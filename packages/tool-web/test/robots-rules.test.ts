import { expect, test } from 'vitest';
import { parseRobots } from '../src/robots/robots-rules.ts';

test.each<[string, string, boolean]>([
  ['', '/x', true],
  ['User-agent: *\nDisallow: /', '/x', false],
  ['User-agent: *\nDisallow:', '/x', true],
  ['user-agent: *\ndisallow: /a # why\nallow: /a/b', '/a/b/c', true],
  ['User-agent: *\nDisallow: /a\nAllow: /a', '/a', true],
  ['User-agent: other\nDisallow: /\n\nUser-agent: Toolwright\nDisallow: /t', '/x', true],
  ['User-agent: other\nDisallow: /\n\nUser-agent: Toolwright\nDisallow: /t', '/t', false],
  ['User-agent: *\nDisallow: /\nUser-agent: toolwright\nAllow: /', '/x', true],
  ['User-agent: a\nUser-agent: toolwright\nDisallow: /x', '/x', false],
  ['Disallow: /x', '/x', true],
  ['User-agent: *\nDisallow: /*.pdf$', '/a/b.pdf', false],
  ['User-agent: *\nDisallow: /*.pdf$', '/a/b.pdf?x', true],
  ['User-agent: *\nDisallow: /a*b*c', '/a1b2c3', false],
  ['User-agent: *\nDisallow: /a*b*c', '/a1c2b3', true],
  ['User-agent: *\nDisallow: /x$', '/x', false],
  ['User-agent: *\nDisallow: /x$', '/xy', true],
  ['User-agent: *\nDisallow: /*x*x$', '/x', true],
  ['User-agent: *\nDisallow: /?q=', '/?q=1', false],
  ['User-agent: *\r\nDisallow: /x\r\n', '/x', false],
])('%j and %s', (text, path, expected) => {
  expect(parseRobots(text, 'toolwright').isAllowed(path)).toBe(expected);
});
