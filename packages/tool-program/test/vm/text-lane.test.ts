import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { laneHeaderInts, TextLane } from '../../src/vm/text-lane.mjs';

const capacityBytes = 4_096;

function laneOf(shared: SharedArrayBuffer): TextLane {
  return new TextLane(new Int32Array(shared, 0, laneHeaderInts), Buffer.from(shared, 64));
}

test('text that one thread appends while another takes arrives whole and in order', async () => {
  const shared = new SharedArrayBuffer(64 + capacityBytes);
  const count = 5_000;
  const worker = new Worker(
    `const { workerData } = require('node:worker_threads');
     import(workerData.url).then(({ laneHeaderInts, TextLane }) => {
       const { shared, count } = workerData;
       const lane = new TextLane(new Int32Array(shared, 0, laneHeaderInts), Buffer.from(shared, 64));
       for (let i = 0; i < count; i += 1) {
         const text = i + ':' + 'é'.repeat((i * 7919) % 300) + ';';
         while (!lane.append(text));
       }
     });`,
    {
      eval: true,
      workerData: {
        shared,
        count,
        url: new URL('../../src/vm/text-lane.mjs', import.meta.url).href,
      },
    },
  );
  onTestFinished(async () => void (await worker.terminate()));
  const lane = laneOf(shared);
  let next = 0;
  while (next < count) {
    for (const text of lane.take().split(';').slice(0, -1)) {
      expect(text).toBe(`${next}:${'é'.repeat((next * 7919) % 300)}`);
      next += 1;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(lane.isEmpty).toBe(true);
});

test('a full lane takes nothing more, and everything again once it is emptied', () => {
  const lane = laneOf(new SharedArrayBuffer(64 + capacityBytes));
  expect(lane.append('x'.repeat(capacityBytes))).toBe(true);
  expect(lane.append('y')).toBe(false);
  expect(lane.take()).toBe('x'.repeat(capacityBytes));
  expect(lane.take()).toBe('');
  expect(lane.append('y')).toBe(true);
  lane.clear();
  expect(lane.isEmpty).toBe(true);
});
