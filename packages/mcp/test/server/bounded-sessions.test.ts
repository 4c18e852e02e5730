import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BoundedSessions } from '../../src/server/bounded-sessions.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function sessions(maxSessions = 2, idleMs = 1_000) {
  const closed: string[] = [];
  const set = new BoundedSessions<{ close(): Promise<void> }>({ maxSessions, idleMs });
  const add = (id: string): boolean => {
    const isIn = set.reserve();
    if (isIn) set.add(id, { close: async () => void closed.push(id) });
    return isIn;
  };
  return { set, add, closed };
}

test('what is idle for too long is closed; what is in use is not, however long', async () => {
  const { set, add, closed } = sessions();
  add('idle');
  add('busy');
  const use = set.use('busy');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(closed).toEqual(['idle']);
  use?.release();
  use?.release();
  await vi.advanceTimersByTimeAsync(900);
  expect(closed).toEqual(['idle']);
  await vi.advanceTimersByTimeAsync(500);
  expect(closed).toEqual(['idle', 'busy']);
  await set.closeAll();
  expect(vi.getTimerCount()).toBe(0);
});

test('room is made by closing what was used longest ago, and not at all when all is in use', async () => {
  const { set, add, closed } = sessions();
  add('a');
  await vi.advanceTimersByTimeAsync(10);
  add('b');
  await vi.advanceTimersByTimeAsync(10);
  const a = set.use('a');
  expect(add('c')).toBe(true);
  expect(closed).toEqual(['b']);
  set.use('c');
  expect(add('d')).toBe(false);
  a?.release();
  expect(add('e')).toBe(true);
  expect(closed).toEqual(['b', 'a']);
  await set.closeAll();
  expect(closed.sort()).toEqual(['a', 'b', 'c', 'e']);
});

test('a place that is kept for one that is being opened is no place for another', async () => {
  const { set } = sessions(1);
  expect(set.reserve()).toBe(true);
  expect(set.reserve()).toBe(false);
  set.unreserve();
  expect(set.reserve()).toBe(true);
  await set.closeAll();
});
