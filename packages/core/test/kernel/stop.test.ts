import { expect, test } from 'vitest';
import { onStop, SignalOptions, Stop } from '../../src/kernel/stop.ts';

test('a stop tells its followers once, in order, and its signal whether it is asked for before or after', () => {
  const told: string[] = [];
  const stop = new Stop();
  const early = stop.signal;
  early.addEventListener('abort', () => told.push('listener'));
  onStop(stop, () => told.push('first'));
  const unfollow = onStop(stop, () => told.push('never'));
  onStop(stop, () => told.push('second'));
  unfollow();
  stop.abort('reason');
  stop.abort('another');
  onStop(stop, () => told.push('late'));
  expect(told).toEqual(['listener', 'first', 'second', 'late']);
  expect([stop.aborted, stop.reason, early.reason]).toEqual([true, 'reason', 'reason']);
  const after = new Stop();
  after.abort('reason');
  expect([after.signal.aborted, after.signal.reason]).toEqual([true, 'reason']);
  expect(() => after.throwIfAborted()).toThrow('reason');
});

test('a follower that takes another out while it is told keeps it from being told', () => {
  const told: string[] = [];
  const stop = new Stop();
  let unfollow = (): void => {};
  onStop(stop, () => {
    told.push('first');
    unfollow();
  });
  unfollow = onStop(stop, () => told.push('second'));
  stop.abort('reason');
  expect(told).toEqual(['first']);
});

test('options that are handed out give the signal and cannot be changed for others', () => {
  const stop = new Stop();
  const options = new SignalOptions(stop);
  expect(options.signal).toBe(stop.signal);
  expect(Object.isFrozen(Object.getPrototypeOf(options))).toBe(true);
});
