import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineFolder } from '../../src/projection/line-folder.ts';
import { OutputWindow } from '../../src/projection/output-window.ts';
import { hasRepeatedLines } from '../../src/projection/repeated-line.ts';
import { lineTexts } from './generators.ts';

const numRuns = process.env['TOOLWRIGHT_LONG'] === '1' ? 5000 : 300;

function runsOf(text: string): { line: string; count: number }[] {
  const runs: { line: string; count: number }[] = [];
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const last = runs.at(-1);
    if (last?.line === line) last.count += 1;
    else runs.push({ line, count: 1 });
  }
  return runs;
}

/** The rule in its plainest form. */
function foldNaively(text: string, threshold: number): string {
  return runsOf(text)
    .map(({ line, count }) => {
      const marker = `[a3s repeated-line fold: ${count - 1} additional exact copies omitted]\n`;
      const pays = marker.length < (count - 1) * Buffer.byteLength(line);
      return count >= threshold && pays ? line + marker : line.repeat(count);
    })
    .join('');
}

const thresholds = fc.integer({ min: 2, max: 6 });
const chunkSizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 4 });

describe('a line folder', () => {
  it('folds as the rule says, in any chunks', () => {
    let folded = 0;
    fc.assert(
      fc.property(lineTexts, thresholds, chunkSizes, (...[text, threshold, sizes]) => {
        const window = new OutputWindow(1_000_000, 0);
        const folder = new LineFolder(window, threshold);
        const bytes = Buffer.from(text);
        const shared = Buffer.alloc(400);
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          const part = bytes.subarray(at, at + size);
          shared.set(part);
          folder.push(shared.subarray(0, part.length));
          at += size;
        }
        folder.finish();
        const { bytes: output, markers } = window.front();
        expect(Buffer.from(output).toString()).toBe(foldNaively(text, threshold));
        const replaced = markers.reduce((sum, marker) => sum + marker.replacedBytes, 0);
        const markerBytes = markers.reduce((sum, { start, end }) => sum + end - start, 0);
        expect(output.length - markerBytes + replaced).toBe(bytes.length);
        folded += markers.length;
      }),
      { numRuns },
    );
    expect(folded).toBeGreaterThan(numRuns / 2);
  });

  it('is only needed where lines repeat', () => {
    fc.assert(
      fc.property(lineTexts, thresholds, (text, threshold) => {
        const expected = runsOf(text).some(
          ({ line, count }) => line.endsWith('\n') && count >= threshold,
        );
        expect(hasRepeatedLines(Buffer.from(text), threshold)).toBe(expected);
      }),
      { numRuns },
    );
  });
});

describe('an output window', () => {
  const parts = fc.array(
    fc.record({
      text: fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 40 }),
      isMarker: fc.boolean(),
    }),
    { maxLength: 30 },
  );

  it('remembers both ends and the markers in them', () => {
    fc.assert(
      fc.property(parts, fc.nat(60), fc.nat(60), (list, frontCapacity, backCapacity) => {
        const window = new OutputWindow(frontCapacity, backCapacity);
        let whole = '';
        const starts: number[] = [];
        for (const { text, isMarker } of list) {
          if (isMarker && text !== '') {
            starts.push(whole.length);
            window.appendMarker(text, 1, 7);
          } else {
            window.append(Buffer.from(text));
          }
          whole += text;
        }
        expect(window.length).toBe(whole.length);
        const front = window.front();
        expect(Buffer.from(front.bytes).toString()).toBe(whole.slice(0, frontCapacity));
        expect(front.markers.map(({ start }) => start)).toEqual(
          starts.filter((start) => start < frontCapacity),
        );
        const back = window.back();
        const backText = Buffer.from(back.bytes).toString();
        expect(whole.endsWith(backText)).toBe(true);
        expect(backText.length).toBeGreaterThanOrEqual(Math.min(whole.length, backCapacity));
        expect(backText.length).toBeLessThanOrEqual(2 * backCapacity);
        const offset = whole.length - backText.length;
        const inBack = back.markers.filter(({ start }) => start >= 0);
        expect(inBack.map(({ start, lineStart }) => [start + offset, start - lineStart])).toEqual(
          backCapacity === 0
            ? []
            : starts.filter((start) => start >= offset).map((start) => [start, 1]),
        );
      }),
      { numRuns },
    );
  });
});
