import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputLog } from '../../src/capture/output-log.ts';
import { StreamCapture } from '../../src/capture/stream-capture.ts';

const marker = (omitted: number): string => `\n[${omitted} left out]\n`;

async function capture(chunks: readonly Uint8Array[]): Promise<StreamCapture> {
  const stream = new StreamCapture(null);
  for (const chunk of inOneMemory(chunks)) await stream.push(chunk);
  return stream;
}

/** The chunks as a source gives them: each is overwritten by the next. */
function* inOneMemory(chunks: readonly Uint8Array[]): Generator<Uint8Array> {
  const memory = new Uint8Array(Math.max(0, ...chunks.map(({ length }) => length)));
  for (const chunk of chunks) {
    memory.set(chunk);
    yield memory.subarray(0, chunk.length);
    memory.fill(0);
  }
}

/** Splits bytes at arbitrary places. */
function split(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted(
    (a, b) => a - b,
  );
  let from = 0;
  return at.map((to) => {
    const chunk = bytes.subarray(from, to);
    from = to;
    return chunk;
  });
}

describe('StreamCapture', () => {
  it('shows beginning and end of any stream, however it arrives, and never a broken character', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          piece: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
          times: fc.integer({ min: 1, max: 9_000 }),
          cuts: fc.array(fc.nat(), { maxLength: 6 }),
          maxBytes: fc.integer({ min: 200, max: 70_000 }),
        }),
        async ({ piece, times, cuts, maxBytes }) => {
          const text = piece.repeat(times).toWellFormed();
          const bytes = Buffer.from(text);
          const shown = (await capture(split(bytes, cuts))).render(maxBytes, marker);
          expect(shown.bytes).toBe(bytes.length);
          expect(Buffer.byteLength(shown.text)).toBeLessThanOrEqual(maxBytes);
          const omitted = bytes.length - shown.capturedBytes;
          const [head = '', tail = ''] = shown.truncated
            ? shown.text.split(marker(omitted))
            : [shown.text, ''];
          expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
          expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBe(shown.capturedBytes);
          expect(shown.truncated || head === text).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('fits even what is no text at all', async () => {
    const stream = await capture([Buffer.alloc(300_000, 0xff)]);
    const { text, truncated } = stream.render(5_000, marker);
    expect(truncated).toBe(true);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(5_000);
    expect(text).toContain('\uFFFD');
  });

  it('streams what is too long into an artifact, and nothing else', async () => {
    const kept: Uint8Array[] = [];
    const open = () =>
      Promise.resolve({
        write: async (bytes: Uint8Array) => {
          kept.push(bytes.slice());
        },
        finish: async () => ({ retained: false as const, reason: 'quota' as const }),
        abort: async () => {},
      });
    const short = new StreamCapture(open);
    await short.push(Buffer.alloc(65_536));
    expect(await short.finish()).toEqual({ uri: null });
    expect(kept).toEqual([]);
    const long = new StreamCapture(open);
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, i) => i % 251));
    for (const chunk of split(bytes, [5, 65_530, 65_540, 131_072])) await long.push(chunk);
    expect(await long.finish()).toEqual({ uri: null, notRetained: 'quota' });
    expect(Buffer.concat(kept).equals(bytes)).toBe(true);
    expect(long.render(1_000, marker).sha256).toBe(
      createHash('sha256').update(bytes).digest('hex'),
    );
    expect(short.render(1_000, marker).sha256).toBe(null);
    await long.push(Buffer.from('later'));
    expect(Buffer.concat(kept)).toHaveLength(200_000);
  });

  it('goes on when the store breaks', async () => {
    const stream = new StreamCapture(() => Promise.reject(new Error('broken')));
    await stream.push(Buffer.alloc(100_000));
    expect(stream.bytes).toBe(100_000);
    expect(await stream.finish()).toEqual({ uri: null, notRetained: 'store_failed' });
  });
});

describe('OutputLog', () => {
  it('gives back every whole character, page after page', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        fc.integer({ min: 4, max: 50 }),
        (raw, cuts, maxBytes) => {
          const text = raw.toWellFormed();
          const log = new OutputLog();
          let read = '';
          let offset = 0;
          const take = (complete: boolean): void => {
            for (;;) {
              const page = log.read(offset, maxBytes, complete);
              read += page.text;
              if (page.nextOffset === offset) return;
              offset = page.nextOffset;
            }
          };
          for (const chunk of inOneMemory(split(Buffer.from(text), cuts))) {
            log.push(chunk);
            take(false);
          }
          take(true);
          expect(read).toBe(text);
        },
      ),
    );
  });

  it('drops the oldest and says how much', () => {
    const log = new OutputLog();
    const chunks = Array.from({ length: 20 }, (_, i) => Buffer.alloc(65_536, 97 + i));
    for (const chunk of inOneMemory(chunks)) log.push(chunk);
    const page = log.read(0, 4, false);
    expect(page.droppedBytes).toBeGreaterThan(700_000);
    expect(log.end).toBe(20 * 65_536);
    expect(page.nextOffset).toBe(page.droppedBytes + 4);
  });
});
