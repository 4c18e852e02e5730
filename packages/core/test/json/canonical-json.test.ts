import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/json/canonical-json.ts';

test('keys are sorted at every depth, without white space', () => {
  expect(canonicalJson({ b: [1, { d: null, c: true }], a: 'x' })).toBe(
    '{"a":"x","b":[1,{"c":true,"d":null}]}',
  );
});

test('keys sort by UTF-16 code units, as RFC 8785 shows', () => {
  const value = { '€': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7 };
  expect(canonicalJson(value)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
});

test('numbers and escapes are written as ECMAScript does', () => {
  expect(canonicalJson([-0, 1e21, 0.1, 1 / 3, '\u000f"\\/\ud800'])).toBe(
    String.raw`[0,1e+21,0.1,0.3333333333333333,"\u000f\"\\/\ud800"]`,
  );
});

test('an own __proto__ key is kept', () => {
  expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":1}}'))).toBe(
    '{"__proto__":{"a":1},"b":1}',
  );
});

test('what is no JSON is refused', () => {
  expect(() => canonicalJson(Number.NaN)).toThrow(TypeError);
  // @ts-expect-error a bigint is no JSON value
  expect(() => canonicalJson(1n)).toThrow(TypeError);
  // @ts-expect-error nor is a hole
  expect(() => canonicalJson([undefined])).toThrow(TypeError);
});

test('cycles and endless nesting are refused', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  // @ts-expect-error a cycle has no JSON type
  expect(() => canonicalJson(cycle)).toThrow(/deeper than 1000/u);
});

test('equal values give equal text, which parses back to the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      const canonical = canonicalJson(JSON.parse(text));
      expect(canonicalJson(shuffleKeys(JSON.parse(text)))).toBe(canonical);
      expect(JSON.parse(canonical)).toEqual(JSON.parse(text));
    }),
  );
});

function shuffleKeys(value: unknown): never {
  const reversed = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(reversed);
    if (typeof item !== 'object' || item === null) return item;
    return Object.fromEntries(
      Object.entries(item)
        .toReversed()
        .map(([key, inner]) => [key, reversed(inner)]),
    );
  };
  // The same JSON value with its keys in another order.
  return reversed(value) as never;
}
