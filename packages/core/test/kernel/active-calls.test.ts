import { expect, test } from 'vitest';
import { ActiveCalls } from '../../src/kernel/active-calls.ts';
import { Invocation } from '../../src/kernel/invocation.ts';

const call = (id: string): Invocation =>
  new Invocation({
    id,
    name: 'x',
    parent: undefined,
    origin: 'agent',
    startedAt: 0,
    signals: [],
  });

test('calls are found by id while they are in flight, however many have come and gone', () => {
  const active = new ActiveCalls();
  const long = call('long');
  active.add(long);
  for (let index = 0; index < 1_000; index += 1) {
    const short = call(`short-${index % 300}`);
    expect(active.get(short.id)).toBeUndefined();
    active.add(short);
    expect(active.values()).toEqual(expect.arrayContaining([long, short]));
    expect(active.size).toBe(2);
    expect(active.remove(short)).toBe(true);
    expect(active.remove(short)).toBe(false);
    expect(active.places).toBeLessThan(100);
  }
  expect(active.get('long')).toBe(long);
  expect(active.values()).toEqual([long]);
});

test('a call that is not in leaves alone the one that has its id', () => {
  const active = new ActiveCalls();
  const first = call('same');
  active.add(first);
  expect(active.remove(call('same'))).toBe(false);
  expect(active.get('same')).toBe(first);
});
