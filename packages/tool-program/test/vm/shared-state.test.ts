import { array, assert, constantFrom, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import {
  createSharedState,
  createStopProbe,
  logLevels,
  readLogLines,
  requestStop,
  resetSharedState,
  writeLogLine,
} from '../../src/vm/shared-state.mjs';

test('lines come out as they went in, in parts as well', () => {
  assert(
    property(
      array(string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 30 }),
      constantFrom(...logLevels),
      (texts, level) => {
        const shared = createSharedState(65_536);
        let next = 0;
        const seen: string[] = [];
        for (const text of texts) {
          expect(writeLogLine(shared, level, text)).toBe(true);
          const read = readLogLines(shared, next);
          next = read.next;
          seen.push(...read.lines.map((line) => line.text));
        }
        expect(seen).toEqual(texts);
        expect(readLogLines(shared, 0).lines).toEqual(texts.map((text) => ({ level, text })));
        expect(readLogLines(shared, next)).toEqual({ lines: [], next });
      },
    ),
  );
});

test('the last line is cut at a character, and then nothing fits', () => {
  const shared = createSharedState(5 + 7);
  expect(writeLogLine(shared, 'log', 'üüüü')).toBe(false);
  expect(readLogLines(shared, 0).lines).toEqual([{ level: 'log', text: 'üüü' }]);
  expect(writeLogLine(shared, 'log', 'x')).toBe(false);
  expect(readLogLines(shared, 0).lines).toHaveLength(1);
});

test('an unknown level is a plain line; a lone surrogate becomes U+FFFD', () => {
  const shared = createSharedState(1_000);
  writeLogLine(shared, 'loud', 'a\ud800b');
  expect(readLogLines(shared, 0).lines).toEqual([{ level: 'log', text: 'a\ufffdb' }]);
});

test('the stop flag is seen, and reset with the lines', () => {
  const shared = createSharedState(100);
  const mustStop = createStopProbe(shared);
  writeLogLine(shared, 'log', 'x');
  expect(mustStop()).toBe(false);
  requestStop(shared);
  expect(mustStop()).toBe(true);
  resetSharedState(shared);
  expect(mustStop()).toBe(false);
  expect(readLogLines(shared, 0).lines).toEqual([]);
});
