import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_RETRY_AFTER_MS, parseRetryAfter } from '../../src/services/retry-after.ts';

const NOW = Date.UTC(2026, 10, 30, 12, 0, 0);
const read = (value: string | undefined): number | undefined => parseRetryAfter(value, NOW);

test('FETCH-008: Retry-After as delta and date', () => {
  expect(read('Mon, 30 Nov 2026 12:00:03 GMT')).toBe(3000);
  expect(read('120')).toBe(120_000);
  expect(read('0')).toBe(0);
  expect(read('-5')).toBeUndefined();
  expect(read('soon')).toBeUndefined();
  expect(read('Wed, 99 Foo')).toBeUndefined();
  expect(read('Mon, 30 Nov 2026 11:00:00 GMT')).toBe(0);
  expect(read('1e9')).toBeUndefined();
  expect(read('1000000000')).toBe(MAX_RETRY_AFTER_MS);
});

test('all three date forms, and near misses', () => {
  expect(read('Monday, 30-Nov-26 12:00:03 GMT')).toBe(3000);
  expect(read('Mon Nov 30 12:00:03 2026')).toBe(3000);
  expect(read('Thu Dec  3 12:00:00 2026')).toBe(MAX_RETRY_AFTER_MS);
  expect(read('Sunday, 06-Nov-94 08:49:37 GMT')).toBe(0);
  const malformed = [
    undefined,
    '',
    ' ',
    '1.5',
    '+5',
    '0x10',
    'NaN',
    'Infinity',
    '2026-11-30T12:00:03Z',
    'Mon, 31 Nov 2026 12:00:03 GMT',
    'Mon, 30 Nov 2026 24:00:03 GMT',
    'Mon, 30 Nov 2026 12:00:03 CET',
    'Mon, 30 Nov 2026 12:00:03',
    'Mon, 30 Xyz 2026 12:00:03 GMT',
    '120, 120',
  ];
  expect(malformed.filter((value) => read(value) !== undefined)).toEqual([]);
});

test('property: the answer is absent or a bounded whole number, for any text', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const delay = read(value) ?? 0;
      expect(Number.isInteger(delay) && delay >= 0 && delay <= MAX_RETRY_AFTER_MS).toBe(true);
    }),
  );
});
