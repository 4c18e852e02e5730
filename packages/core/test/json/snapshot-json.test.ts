import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { snapshotJson } from '../../src/json/snapshot-json.ts';

const limits = { maxDepth: 8, maxBytes: 1_000 };

test('the copy is equal, private and frozen at every depth', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const source: unknown = JSON.parse(JSON.stringify(value));
      const snapshot = snapshotJson(source, { maxDepth: 16, maxBytes: 1_000_000 });
      expect(snapshot).toMatchObject({ ok: true });
      expect(snapshot.ok && snapshot.value).toEqual(source);
      if (snapshot.ok) expectFrozen(snapshot.value, source);
    }),
  );
});

test('a getter is read once', () => {
  let reads = 0;
  const source = {
    get command() {
      reads += 1;
      return reads === 1 ? 'echo ok' : 'touch PWNED';
    },
  };
  expect(snapshotJson(source, limits)).toMatchObject({ ok: true, value: { command: 'echo ok' } });
  expect(reads).toBe(1);
});

test('a key called __proto__ stays a key', () => {
  const snapshot = snapshotJson(JSON.parse('{"__proto__":{"admin":true}}'), limits);
  expect(snapshot.ok && Object.keys(snapshot.value as object)).toEqual(['__proto__']);
  expect(snapshot.ok && Object.getPrototypeOf(snapshot.value)).toBe(Object.prototype);
});

test('undefined properties are left out', () => {
  const snapshot = snapshotJson({ a: undefined, b: 1 }, limits);
  expect(snapshot.ok && snapshot.value).toEqual({ b: 1 });
  expect(snapshot.ok && Object.keys(snapshot.value ?? {})).toEqual(['b']);
});

test.each([
  ['a class instance', { a: new Date(0) }, '/a', 'is an object of a class, not plain JSON'],
  ['bytes', { a: [new Uint8Array(1)] }, '/a/0', 'is an object of a class, not plain JSON'],
  ['a function', { 'a/b': () => 1 }, '/a~1b', 'is a function, which is no JSON value'],
  ['a bigint', [1n], '/0', 'is a bigint, which is no JSON value'],
  ['a hole', [1, undefined], '/1', 'is a undefined, which is no JSON value'],
  ['NaN', { a: Number.NaN }, '/a', 'is NaN, which JSON cannot hold'],
])('%s is refused with its place', (_name, value, ...[path, message]) => {
  expect(snapshotJson(value, limits)).toEqual({
    ok: false,
    problem: { reason: 'not_json', path, message },
  });
});

test('a property that cannot be read is refused, not thrown', () => {
  const source = {
    get a(): string {
      throw new Error('no');
    },
  };
  expect(snapshotJson(source, limits)).toMatchObject({
    ok: false,
    problem: { reason: 'not_json', path: '/a' },
  });
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(snapshotJson(proxy, limits)).toMatchObject({ ok: false, problem: { reason: 'not_json' } });
});

test('depth is exact', () => {
  expect(snapshotJson([[[[[[[[1]]]]]]]], limits).ok).toBe(true);
  expect(snapshotJson([[[[[[[[[1]]]]]]]]], limits)).toMatchObject({
    ok: false,
    problem: { reason: 'too_deep', message: 'is nested deeper than 8 levels' },
  });
});

test('a cycle ends at the depth bound', () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  expect(snapshotJson(cycle, limits)).toMatchObject({
    ok: false,
    problem: { reason: 'too_deep' },
  });
});

test('size is counted in UTF-8 bytes', () => {
  expect(snapshotJson('x'.repeat(1_000), limits).ok).toBe(true);
  expect(snapshotJson('x'.repeat(1_001), limits).ok).toBe(false);
  expect(snapshotJson('é'.repeat(500), limits).ok).toBe(true);
  expect(snapshotJson('é'.repeat(501), limits).ok).toBe(false);
  expect(snapshotJson('😀'.repeat(250), limits).ok).toBe(true);
  expect(snapshotJson('😀'.repeat(251), limits)).toMatchObject({
    ok: false,
    problem: { reason: 'too_large', message: 'exceeds 1000 bytes' },
  });
});

test('shared parts count each time, so that a small graph cannot unfold into a large copy', () => {
  let value: unknown = 'x'.repeat(10);
  for (let level = 0; level < 7; level += 1) value = [value, value, value, value];
  expect(snapshotJson(value, limits)).toMatchObject({
    ok: false,
    problem: { reason: 'too_large' },
  });
});

function expectFrozen(copy: unknown, source: unknown): void {
  if (typeof copy !== 'object' || copy === null) return;
  expect(Object.isFrozen(copy)).toBe(true);
  expect(copy).not.toBe(source);
  for (const [key, item] of Object.entries(copy)) {
    expectFrozen(item, Object.entries(source as object).find(([name]) => name === key)?.[1]);
  }
}
