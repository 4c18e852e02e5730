import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventBus } from '../../src/events/event-bus.ts';
import type { ToolEventBody } from '../../src/index.ts';

function emit(bus: EventBus, body: ToolEventBody): void {
  bus.emit({
    seq: bus.nextSeq(),
    session_id: 's',
    invocation_id: 'c',
    parent_id: null,
    origin: 'agent',
    ...body,
  });
}

const kept = (id: string): ToolEventBody => ({ type: 'tool_start', id, name: 'x' });
const droppable = (id: string): ToolEventBody => ({ type: 'tool_progress', id, name: 'x' });

type Step = 'kept' | 'droppable' | 'read';

/** What a consumer must get: written down as plainly as can be. */
function model(steps: readonly Step[], capacity: number) {
  const held: { readonly seq: number; readonly droppable: boolean }[] = [];
  const read: number[] = [];
  let dropped = 0;
  let seq = 0;
  for (const step of steps) {
    if (step === 'read') {
      const event = held.shift();
      if (event !== undefined) read.push(event.seq);
      continue;
    }
    seq += 1;
    if (held.length >= capacity) {
      const oldest = held.findIndex((event) => event.droppable);
      if (step === 'droppable') {
        dropped += 1;
        continue;
      }
      if (oldest >= 0) {
        held.splice(oldest, 1);
        dropped += 1;
      }
    }
    held.push({ seq, droppable: step === 'droppable' });
  }
  return { read: [...read, ...held.map((event) => event.seq)], dropped };
}

test('a consumer that lags loses the oldest of what it may lose, counted, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom<Step>('kept', 'droppable', 'droppable', 'read'), { maxLength: 900 }),
      fc.integer({ min: 1, max: 12 }),
      async (steps, capacity) => {
        const bus = new EventBus();
        const stream = bus.open({ capacity });
        const reader = stream[Symbol.asyncIterator]();
        const expected = model(steps, capacity);
        const read: number[] = [];
        let held = 0;
        for (const [index, step] of steps.entries()) {
          const before = stream.dropped;
          if (step === 'kept') emit(bus, kept(`${index}`));
          else if (step === 'droppable') emit(bus, droppable(`${index}`));
          if (step !== 'read') held += 1 - (stream.dropped - before);
          if (step !== 'read' || held === 0) continue;
          const { value } = await reader.next();
          read.push(value.seq);
          held -= 1;
        }
        bus.close();
        for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
          read.push(next.value.seq);
        }
        expect(read).toEqual(expected.read);
        expect(stream.dropped).toBe(expected.dropped);
      },
    ),
    { numRuns: 300, seed: 3 },
  );
});

test('a consumer that never reads costs no more an event the further it lags', () => {
  const bus = new EventBus();
  const stream = bus.open({ capacity: 20_000 });
  for (let event = 0; event < 300_000; event += 1) {
    emit(bus, event % 100 === 99 ? droppable(`${event}`) : kept(`${event}`));
  }
  expect(stream.dropped).toBe(3_000);
  bus.close();
});

test('a consumer that leaves is told nothing more', async () => {
  const bus = new EventBus();
  const controller = new AbortController();
  const stream = bus.open({ signal: controller.signal });
  emit(bus, kept('1'));
  for await (const event of stream) {
    expect(event.seq).toBe(1);
    break;
  }
  expect(bus.active).toBe(false);
  const other = bus.open({ signal: controller.signal });
  controller.abort();
  expect(bus.active).toBe(false);
  emit(bus, kept('2'));
  const seen: number[] = [];
  for await (const event of other) seen.push(event.seq);
  expect(seen).toEqual([]);
});

test('a stream that nobody reads ends instead of holding everything, and says so', async () => {
  const bus = new EventBus();
  const stream = bus.open({ capacity: 4 });
  for (let event = 0; event < 16_384; event += 1) emit(bus, kept(`${event}`));
  expect(stream.dropped).toBe(0);
  expect(bus.active).toBe(true);
  emit(bus, kept('one more'));
  expect(bus.active).toBe(false);
  expect(stream.dropped).toBe(16_385);
  await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    type: 'limit_exceeded',
    reason: 'events_unread',
  });
});

test('a consumer that reads, however slowly, misses nothing', async () => {
  const bus = new EventBus();
  const stream = bus.open({ capacity: 4 });
  const reader = stream[Symbol.asyncIterator]();
  const read: (number | undefined)[] = [];
  for (let event = 1; event <= 100_000; event += 1) {
    emit(bus, kept(`${event}`));
    if (event % 16_000 === 0) read.push((await reader.next()).value?.seq);
  }
  expect(read).toEqual([1, 2, 3, 4, 5, 6]);
  expect(stream.dropped).toBe(0);
  bus.close();
  let last = 0;
  for await (const { seq } of stream) {
    expect(seq).toBe(last === 0 ? 7 : last + 1);
    last = seq;
  }
  expect(last).toBe(100_000);
});

test.each([-1, Number.NaN, '8', null])('a capacity of %o would never be reached', (capacity) => {
  // No type allows these.
  const open = () => new EventBus().open({ capacity: capacity as number });
  expect(open).toThrow(TypeError);
});
