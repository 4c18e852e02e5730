import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { PieceQueue } from '../../src/transfer/piece-queue.ts';
import { planConnections, planPieces, planSplit } from '../../src/transfer/plan-pieces.ts';

const MIB = 1024 * 1024;

test('connections by size', () => {
  const sizes = [
    0,
    1,
    3 * MIB,
    4 * MIB - 1,
    4 * MIB,
    6.25 * MIB,
    8 * MIB,
    12.25 * MIB,
    100 * MIB,
    8192 * MIB,
  ];
  expect(sizes.map((size) => planConnections(size, undefined))).toEqual([
    1, 1, 1, 1, 2, 3, 3, 4, 4, 4,
  ]);
  expect([
    planConnections(3 * MIB, 4),
    planConnections(8 * MIB, 4),
    planConnections(100 * MIB, 1),
  ]).toEqual([1, 4, 1]);
});

test('property: pieces cover a file exactly, aligned and in order', () => {
  fc.assert(
    fc.property(fc.nat(50 * MIB), fc.integer({ min: 1, max: 4 }), (total, connections) => {
      const pieces = planPieces(total, connections);
      expect(pieces.length).toBeLessThanOrEqual(
        Math.max(connections, Math.ceil(total / (16 * MIB))),
      );
      expect(pieces.every(({ start }) => start % 4096 === 0)).toBe(true);
      const bytes = pieces.reduce((sum, { start, end }) => sum + end + 1 - start, 0);
      expect(bytes).toBe(total);
      expect(pieces.map(({ start }) => start)).toEqual(
        [0, ...pieces.slice(0, -1).map(({ end }) => end + 1)].slice(0, pieces.length),
      );
    }),
  );
});

test('property: a split leaves both halves worth a request', () => {
  fc.assert(
    fc.property(fc.nat(100 * MIB), fc.nat(100 * MIB), (position, length) => {
      const end = position + length;
      const cut = planSplit(position, end);
      const isSound =
        cut === undefined
          ? length + 1 < 4 * MIB
          : cut - position >= 2 * MIB && end + 1 - cut >= 2 * MIB - 4096;
      expect(isSound).toBe(true);
    }),
  );
});

test('when others begin to help, the first connection keeps a part and the rest is cut up', () => {
  const queue = new PieceQueue([{ start: 0, end: 50 * MIB - 1 }]);
  const first = queue.take();
  if (first !== undefined) {
    first.position = MIB + 1;
  }
  queue.spread();
  expect(first).toEqual({ start: 0, position: MIB + 1, end: 17 * MIB + 4095 });
  const others = [queue.take(), queue.take(), queue.take()];
  expect(others.map((piece) => [piece?.start, piece?.end])).toEqual([
    [17 * MIB + 4096, 33 * MIB + 4095],
    [33 * MIB + 4096, 49 * MIB + 4095],
    [49 * MIB + 4096, 50 * MIB - 1],
  ]);
});

test('property: whatever connections do, every byte is fetched once, and the complete part never has a gap', () => {
  const act = fc.record({ worker: fc.nat(3), bytes: fc.integer({ min: 1, max: 3 * MIB }) });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 * MIB }),
      fc.array(act, { maxLength: 60 }),
      fc.nat(60),
      (total, acts, helpersFrom) => {
        const queue = new PieceQueue([{ start: 0, end: total - 1 }]);
        const workers: ReturnType<PieceQueue['take']>[] = [];
        const fetched: [number, number][] = [];
        const step = (worker: number, bytes: number): boolean => {
          const piece = (workers[worker] ??= queue.take());
          if (piece === undefined) {
            return false;
          }
          const next = Math.min(piece.position + bytes, piece.end + 1);
          fetched.push([piece.position, next]);
          piece.position = next;
          if (piece.position > piece.end) {
            workers[worker] = undefined;
          }
          return true;
        };
        for (const [index, { worker, bytes }] of acts.entries()) {
          if (index === helpersFrom) {
            queue.spread();
          }
          step(index < helpersFrom ? 0 : worker, bytes);
          const sorted = fetched.toSorted((a, b) => a[0] - b[0]);
          const reach = sorted.reduce((end, [from, to]) => (from === end ? to : end), 0);
          expect(queue.completeTo()).toBeLessThanOrEqual(reach);
        }
        for (let worker = 0; worker < 4; worker += 1) {
          while (step(worker, 3 * MIB)) {
            // Until nothing is left for this one.
          }
        }
        const sorted = fetched.toSorted((a, b) => a[0] - b[0]);
        expect(sorted.reduce((end, [from, to]) => (from === end ? to : Number.NaN), 0)).toBe(total);
        expect(queue.completeTo()).toBe(total);
      },
    ),
  );
});
