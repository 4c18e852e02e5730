import * as fc from 'fast-check';
import { byteOrderMarkOf, loadCodec } from '@toolwright/documents';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../src/read/byte-source.ts';
import type { ByteSource } from '../../src/read/byte-source.ts';
import { LineIndexBuilder } from '../../src/read/line-index.ts';
import { scanText } from '../../src/read/scan-text.ts';
import {
  positionOfByte,
  positionOfLine,
  renderRow,
  takeWindow,
} from '../../src/read/text-window.ts';
import type { TextPosition, WindowRow } from '../../src/read/text-window.ts';

/** All rows of a text, window by window. */
async function readAll(
  source: ByteSource,
  maxBytes: number,
  maxLines: number,
): Promise<WindowRow[]> {
  const { scan } = await scanText(source);
  const rows: WindowRow[] = [];
  let position: TextPosition | null = await positionOfLine(source, scan, 0);
  for (let windows = 0; position !== null; windows += 1) {
    expect(windows).toBeLessThan(10_000);
    const window = await takeWindow({ source, scan }, position, {
      maxLines,
      maxBytes,
      cutAtBytes: maxBytes - 10,
    });
    const printed = window.rows.map(renderRow).join('');
    expect(Buffer.byteLength(printed)).toBeLessThanOrEqual(maxBytes);
    expect(window.rows.reduce((sum, row) => sum + row.bytes, 0)).toBe(Buffer.byteLength(printed));
    rows.push(...window.rows);
    const next: TextPosition = window.next ?? { line: 0, byte: 0, at: source.size + 1 };
    expect(next.at).toBeGreaterThan(position.at);
    expect(await positionOfByte(source, scan, position.at)).toEqual(position);
    position = window.next;
  }
  return rows;
}

/** Rows put together again to lines. */
function linesOf(rows: readonly WindowRow[]): string[] {
  const lines: string[] = [];
  for (const row of rows) lines[row.line] = (lines[row.line] ?? '') + row.text;
  return lines;
}

const character = fc.constantFrom('a', 'é', '中', '😀', ' ', '\t', 'long'.repeat(20));
const line = fc.array(character, { maxLength: 12 }).map((parts) => parts.join(''));
const text = fc
  .tuple(fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 25 }), line)
  .map(([lines, last]) => lines.map(([content, ending]) => content + ending).join('') + last);

describe('windows of any size give every line once, in order', () => {
  test.each(['utf-8', 'utf-16le', 'utf-16be', 'gb18030'] as const)('%s', async (encoding) => {
    const codec = await loadCodec(encoding);
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.integer({ min: 40, max: 400 }),
        fc.integer({ min: 1, max: 9 }),
        async (content, maxBytes, maxLines) => {
          const bytes = Buffer.concat([byteOrderMarkOf(encoding), codec.encode(content)]);
          const rows = await readAll(memorySource(bytes), maxBytes, maxLines);
          const expected = content === '' ? [] : content.split('\n');
          if (expected.at(-1) === '') expected.pop();
          const isLast = (index: number): boolean => index === expected.length - 1;
          expect(linesOf(rows)).toEqual(
            expected.map((value, index) =>
              isLast(index) && !content.endsWith('\n') ? value : value.replace(/\r$/, ''),
            ),
          );
        },
      ),
      { numRuns: 40 },
    );
  });

  test('ill-formed bytes of UTF-8', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(0x41, 0x0a, 0x80, 0xc3, 0xa9, 0xe4, 0xb8, 0xf0, 0x9f, 0xff)),
        fc.integer({ min: 40, max: 90 }),
        async (values, maxBytes) => {
          // ASCII around keeps it UTF-8 for the detector.
          const bytes = Buffer.concat([Buffer.from('é'.repeat(200)), Buffer.from(values)]);
          const rows = await readAll(memorySource(bytes), maxBytes, 100);
          const expected = bytes.toString('utf8').replace(/\n$/, '').split('\n');
          expect(linesOf(rows)).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });
});

test.each([undefined, 'utf-16le', 'utf-16be'] as const)(
  'the index (%s) finds every line, whatever the chunks and however many places it keeps',
  async (wide) => {
    const codec = await loadCodec(wide ?? 'utf-8');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', '\n', '\r\n', '中', '\u0a0a', '\u0d0a'), { maxLength: 80 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 40 }),
        async (parts, chunkUnits, stride) => {
          const content = parts.join('');
          const bytes = Buffer.from(codec.encode(content));
          const builder = new LineIndexBuilder(wide, stride);
          for (let at = 0; at < bytes.length; at += 2 * chunkUnits) {
            builder.push(bytes.subarray(at, at + 2 * chunkUnits));
          }
          const index = builder.finish();
          expect(index.lf).toBe(content.split('\n').length - 1);
          expect(index.crlf).toBe(content.split('\r\n').length - 1);
          expect(index.finalNewline).toBe(content.endsWith('\n'));
          const starts = [0];
          for (let at = content.indexOf('\n'); at >= 0; at = content.indexOf('\n', at + 1)) {
            starts.push(codec.encode(content.slice(0, at + 1)).length);
          }
          for (let number = 0; number <= index.lf; number += 1) {
            const place = index.before(number);
            expect(place.line).toBeLessThanOrEqual(number);
            expect(place.byte).toBe(starts[place.line]);
            expect(index.beforeByte(starts[number] ?? 0)).toEqual(place);
          }
        },
      ),
      { numRuns: 80 },
    );
  },
);

test('the index of a huge text stays small', () => {
  const builder = new LineIndexBuilder();
  const chunk = Buffer.from(`${'x'.repeat(63)}\n`.repeat(16_384));
  for (let turn = 0; turn < 700; turn += 1) builder.push(chunk);
  const index = builder.finish();
  const lines = 700 * 16_384;
  expect(index.lf).toBe(lines);
  for (const wanted of [0, 1, 9_999, lines >> 1, lines - 1]) {
    const place = index.before(wanted);
    expect(place.byte).toBe(place.line * 64);
    expect(wanted - place.line).toBeLessThanOrEqual(4 * 1024);
  }
});
