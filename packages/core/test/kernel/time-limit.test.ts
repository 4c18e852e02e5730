import { expect, test } from 'vitest';
import { TimeLimit } from '../../src/kernel/time-limit.ts';

const timers = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

function begin(limitMs: number, expire: () => void): TimeLimit {
  const limit = new TimeLimit({ expire });
  limit.start(limitMs);
  return limit;
}

test('limits are reached in the order in which they are due, whatever their lengths', async () => {
  const reached: string[] = [];
  await new Promise<void>((resolve) => {
    const note = (name: string) => (): void => {
      reached.push(name);
      if (name === 'long') resolve();
    };
    begin(40, note('long'));
    begin(5, note('short'));
    begin(10, note('ended')).end();
    begin(5, note('same length'));
    begin(20, note('between'));
  });
  expect(reached).toEqual(['short', 'same length', 'between', 'long']);
});

test('no timer keeps the process alive once all limits have ended, and one does while a limit runs', () => {
  const before = timers();
  const limits = Array.from({ length: 100 }, (_, i) => begin(60_000 + i, () => {}));
  expect(timers()).toBe(before + 1);
  for (const limit of limits) {
    limit.end();
    limit.end();
  }
  expect(timers()).toBe(before);
  // Due after the timer that is there already.
  const later = begin(70_000, () => {});
  expect(timers()).toBe(before + 1);
  later.end();
  expect(timers()).toBe(before);
});

test('a limit that ends another when it is reached is obeyed in the next round', async () => {
  const reached: string[] = [];
  await new Promise<void>((resolve) => {
    const later = begin(30, () => reached.push('later'));
    begin(5, () => {
      later.end();
      reached.push('first');
    });
    begin(45, () => resolve());
  });
  expect(reached).toEqual(['first']);
});

test('a limit that is paused is not reached, and one that is started again runs its whole time', async () => {
  const reached: string[] = [];
  const paused = begin(5, () => reached.push('paused'));
  await new Promise<void>((resolve) => {
    paused.pause();
    const again = begin(5, () => reached.push('again'));
    again.pause();
    again.start(30);
    begin(20, () => reached.push('between'));
    begin(45, () => resolve());
  });
  paused.end();
  expect(reached).toEqual(['between', 'again']);
});

test('a limit keeps the process alive while it is paused, until it has ended', () => {
  const before = timers();
  const limit = begin(60_000, () => {});
  limit.pause();
  expect(timers()).toBe(before + 1);
  limit.start(60_000);
  limit.end();
  expect(timers()).toBe(before);
});
