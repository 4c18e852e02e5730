import { assert, jsonValue, property } from 'fast-check';
import { expect, test } from 'vitest';
import { isTooDeep, isTooDeepValue, maxJsonDepth } from '../../src/vm/json-depth.mjs';

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

test('levels are counted, not brackets', () => {
  expect(isTooDeep(nested(maxJsonDepth))).toBe(false);
  expect(isTooDeep(nested(maxJsonDepth + 1))).toBe(true);
  expect(isTooDeep(JSON.stringify(Array.from({ length: 1_000 }, () => [{}])))).toBe(false);
  expect(isTooDeep(JSON.stringify({ [nested(500)]: `\\"${nested(500)}` }))).toBe(false);
});

test('any value that is deep is told, wherever it is', () => {
  assert(
    property(jsonValue(), (value) => {
      const json = JSON.stringify(value);
      expect(isTooDeep(json)).toBe(false);
      expect(isTooDeepValue(value)).toBe(false);
      expect(isTooDeepValue([value, JSON.parse(nested(maxJsonDepth))])).toBe(true);
      expect(isTooDeep(`[${json},{"a":${nested(maxJsonDepth)}}]`)).toBe(true);
    }),
  );
});
