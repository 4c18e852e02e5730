import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compilePattern } from '../../../src/validation/pattern/compile-pattern.ts';
import { buildLinearPattern } from '../../../src/validation/pattern/linear-pattern.ts';
import { parsePattern } from '../../../src/validation/pattern/parse-pattern.ts';

const runs = process.env['TOOLWRIGHT_LONG'] === '1' ? 20_000 : 1_500;

/** The linear engine alone, whatever engine the expression would get. */
function linear(source: string): (text: string) => boolean {
  const node = parsePattern(source);
  const test_ = node === undefined ? undefined : buildLinearPattern(node);
  if (test_ === undefined) throw new Error(`not linear: ${source}`);
  return test_;
}

const atom = fc.constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  String.raw`\w`,
  String.raw`\W`,
  String.raw`\d`,
  String.raw`\s`,
  String.raw`\u{1F600}`,
  String.raw`\ud83d\ude00`,
  String.raw`\x61`,
  String.raw`\p{L}`,
  String.raw`[\]\-a]`,
  '😀',
  String.raw`\.`,
);
const assertion = fc.constantFrom('^', '$', String.raw`\b`, String.raw`\B`);
const quantifier = fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '{1,}', '*?', '+?', '{0}');
const { expression } = fc.letrec<{ expression: string; term: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4 },
    fc.array(tie('term'), { maxLength: 4 }).map((terms) => terms.join('')),
    fc.tuple(tie('term'), tie('term')).map(([left, right]) => `${left}|${right}`),
  ),
  term: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    atom,
    assertion,
    fc.tuple(atom, quantifier).map(([body, times]) => body + times),
    fc.tuple(tie('expression'), quantifier).map(([body, times]) => `(?:${body})${times}`),
    tie('expression').map((body) => `(?<name>${body})`.replaceAll('(?<name>', '(')),
    tie('expression').map((body) => `(?=${body})`),
    tie('expression').map((body) => `(?!${body})`),
  ),
}));
const text = fc
  .array(fc.constantFrom('a', 'b', '1', ' ', '\n', '.', ']', '-', 'é', '😀', '\ud83d', '_'), {
    maxLength: 8,
  })
  .map((characters) => characters.join(''));

/**
 * The platform's answer, asked at every code point: V8's own search also stops in the middle of a surrogate pair, which
 * ECMA-262 (AdvanceStringIndex) does not.
 */
function isFound(source: string, subject: string): boolean {
  const expression = new RegExp(source, 'uy');
  for (let at = 0; at <= subject.length; at += (subject.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
    expression.lastIndex = at;
    if (expression.test(subject)) return true;
  }
  return false;
}

test('the linear engine agrees with the platform', () => {
  fc.assert(
    fc.property(expression, text, (source, subject) => {
      expect(linear(source)(subject)).toBe(isFound(source, subject));
    }),
    { numRuns: runs },
  );
});

test.each(['^(a+)+$', '(a|aa)+$', '^(?:[a-z]+\\d?)+$', '(x+x+)+y', 'a*a*a*a*a*b', '^(?=(a+)+b)a'])(
  'SCHEMA-012 — pattern that backtracks without end: %s is bounded',
  (source) => {
    const compiled = compilePattern(source);
    if (!compiled.ok) throw new Error(compiled.reason);
    const started = performance.now();
    expect(compiled.pattern.test(`${'a'.repeat(40)}!`)).toBe(false);
    expect(compiled.pattern.test(`${'a'.repeat(10_000)}!`)).toBe(false);
    // A hang bound: ten times the second that is allowed.
    expect(performance.now() - started).toBeLessThan(10_000);
  },
);

test('SCHEMA-012 — one code point is one character', () => {
  const compiled = compilePattern('^.{1}$');
  expect(compiled.ok && compiled.pattern.test('😀')).toBe(true);
  expect(compiled.ok && compiled.pattern.test('ab')).toBe(false);
  expect(linear('^.{1}$')('😀')).toBe(true);
});

test.each([
  ['^[a-z]+$', 'native'],
  ['^[A-Za-z][A-Za-z0-9_-]{0,63}$', 'native'],
  ['^\\d{4}-\\d{2}-\\d{2}$', 'native'],
  ['^(?:a|b)$', 'native'],
  ['a+b', 'linear'],
  ['^(a+)+$', 'linear'],
  ['^[^/]+/[^/]+$', 'linear'],
  ['^(?:a?){30}a{30}$', 'linear'],
])('%s runs in the %s engine', (source, engine) => {
  expect(compilePattern(source)).toMatchObject({ ok: true, engine });
});

test.each([
  ['(a)\\1', 'not_linear'],
  ['(?<x>a)\\k<x>', 'not_linear'],
  ['(?<=a)b', 'not_linear'],
  ['(?<!a)b', 'not_linear'],
  ['(?:a{1000}){1000}', 'not_linear'],
  ['(', 'invalid'],
  ['(?i)a', 'invalid'],
  ['a'.repeat(5_000), 'not_linear'],
])('%.20s is refused', (source, reason) => {
  expect(compilePattern(source)).toEqual({ ok: false, reason });
});

test('escapes of the lenient dialect are understood', () => {
  const compiled = compilePattern(String.raw`^[\w\-\.]+\-\_\@$`);
  expect(compiled.ok && compiled.pattern.test('a.b--_@')).toBe(true);
  expect(compiled.ok && compiled.pattern.test('a.b')).toBe(false);
});

test('an address pattern as zod writes it is usable', () => {
  const compiled = compilePattern(
    String.raw`^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`,
  );
  expect(compiled.ok && compiled.pattern.test('ada.l@example.com')).toBe(true);
  expect(compiled.ok && compiled.pattern.test('ada..l@example.com')).toBe(false);
  expect(compiled.ok && compiled.pattern.test(`${'a.'.repeat(5_000)}@`)).toBe(false);
});
