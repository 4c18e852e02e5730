import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ProgramClock } from '../../src/run/program-clock.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function startClock(limitMs: number) {
  const events = { near: vi.fn(), expired: vi.fn() };
  const clock = new ProgramClock(limitMs, events);
  clock.start();
  return { clock, ...events };
}

/** One call that waits for `waitMs` before it begins, and is over at once then. */
function call(clock: ProgramClock, waitMs: number): void {
  const timing = clock.callMade();
  clock.script('waits');
  vi.advanceTimersByTime(waitMs);
  timing.begins();
  timing.ends();
  clock.script('runs');
}

test('the end is told once, and before it that it is near', () => {
  const { near, expired } = startClock(1_000);
  vi.advanceTimersByTime(749);
  expect(near).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(near).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(249);
  expect(expired).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(expired).toHaveBeenCalledTimes(1);
});

test('a script that waits when the end is near can be stopped where it is', () => {
  const { clock, near, expired } = startClock(1_000);
  const timing = clock.callMade();
  timing.begins();
  clock.script('waits');
  vi.advanceTimersByTime(1_000);
  expect(near).not.toHaveBeenCalled();
  expect(expired).toHaveBeenCalledTimes(1);
});

test('waiting for a person or a lock is not the time of the program', () => {
  const { clock, expired } = startClock(1_000);
  vi.advanceTimersByTime(500);
  call(clock, 60_000);
  vi.advanceTimersByTime(499);
  expect(expired).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(expired).toHaveBeenCalledTimes(1);
});

test('the way through the kernel is: a script cannot prolong its life with calls', () => {
  const { clock, expired } = startClock(1_000);
  for (let i = 0; i < 200; i += 1) call(clock, 5);
  expect(expired).toHaveBeenCalledTimes(1);
});
