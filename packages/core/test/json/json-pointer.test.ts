import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromPointer, toPointer } from '../../src/json/json-pointer.ts';

test('the examples of RFC 6901', () => {
  expect(toPointer([])).toBe('');
  expect(toPointer(['foo', 0])).toBe('/foo/0');
  expect(toPointer([''])).toBe('/');
  expect(toPointer(['a/b'])).toBe('/a~1b');
  expect(toPointer(['m~n'])).toBe('/m~0n');
});

test('every list of steps survives', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (steps) => {
      expect(fromPointer(toPointer(steps))).toEqual(steps);
    }),
  );
});

test('what is no pointer is refused', () => {
  expect(fromPointer('a/b')).toBeUndefined();
  expect(fromPointer('/a~2')).toBeUndefined();
});
