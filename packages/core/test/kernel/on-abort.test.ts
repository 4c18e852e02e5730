import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { onAbort } from '../../src/kernel/on-abort.ts';

test('many that follow one signal cost it one listener, and none when the last has ended', () => {
  const { signal } = new AbortController();
  const ends = Array.from({ length: 100 }, () => onAbort(signal, () => {}));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  for (const end of ends) end();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('each is called once, whoever ended before is not, and ending twice ends no other', () => {
  const controller = new AbortController();
  const { signal } = controller;
  const called: string[] = [];
  const first = onAbort(signal, () => called.push('first'));
  first();
  onAbort(signal, () => called.push('second'));
  first();
  onAbort(signal, () => called.push('third'));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  controller.abort();
  controller.abort();
  expect(called).toEqual(['second', 'third']);
  onAbort(signal, () => called.push('late'))();
  expect(called).toEqual(['second', 'third', 'late']);
});

test('one that takes the others out while it is called spares them', () => {
  const controller = new AbortController();
  const called: string[] = [];
  onAbort(controller.signal, () => {
    called.push('first');
    other();
  });
  const other = onAbort(controller.signal, () => called.push('other'));
  controller.abort();
  expect(called).toEqual(['first']);
});
