import { expect, test } from 'vitest';
import { Patience, TookTooLongError } from '../../src/kernel/patience.ts';
import { Stop } from '../../src/kernel/stop.ts';

function answers<T>() {
  let give: (value: T) => void = () => {};
  const answer = new Promise<T>((resolve) => {
    give = resolve;
  });
  return { answer, give };
}

test('work that is left while it waits does not go on when its answer comes after all', async () => {
  const { answer, give } = answers<string>();
  const stop = new Stop();
  const patience = new Patience();
  const went: string[] = [];
  const done = patience.during(async () => {
    went.push('before');
    const said = await patience.wait(answer, 60_000);
    patience.over();
    went.push(said);
  }, stop);
  stop.abort('stopped');
  await expect(done).rejects.toBe('stopped');
  expect(patience.isLeft).toBe(true);
  give('late');
  await answer;
  await Promise.resolve();
  expect(went).toEqual(['before']);
  expect(stop.followers).toBe(0);
});

test('an answer that takes too long ends the stretch with what is made of that', async () => {
  const patience = new Patience();
  const done = patience.during(async () => {
    await patience.wait(new Promise(() => {}), 5, (error) => [error]);
  });
  await expect(done).rejects.toEqual([new TookTooLongError('No answer within 5 ms.')]);
});

test('a stop heeded in one stretch is not heeded in the next', async () => {
  const stop = new Stop();
  const patience = new Patience();
  const ask = async (answer: Promise<string>): Promise<string> => {
    try {
      return await patience.wait(answer, 60_000);
    } finally {
      patience.over();
    }
  };
  expect(await patience.during(() => ask(Promise.resolve('first')), stop)).toBe('first');
  expect(stop.followers).toBe(0);
  const { answer, give } = answers<string>();
  const second = patience.during(() => ask(answer));
  stop.abort('stopped');
  give('second');
  expect(await second).toBe('second');
  patience.end();
});

test('a stop that the other code brought about itself ends the wait for it', async () => {
  const stop = new Stop();
  const patience = new Patience();
  const done = patience.during(async () => {
    stop.abort('by itself');
    await patience.wait(Promise.reject(new Error('never seen')), 60_000);
  }, stop);
  await expect(done).rejects.toBe('by itself');
});

test('a stretch that fails leaves no wait open for the next', async () => {
  const stop = new Stop();
  const patience = new Patience();
  const failing = patience.during(
    async () => void (await patience.wait(Promise.reject(new Error('no')), 5)),
    stop,
  );
  await expect(failing).rejects.toThrow('no');
  const { answer, give } = answers<string>();
  const next = patience.during(async () => {
    const said = await patience.wait(answer, 60_000);
    patience.over();
    return said;
  });
  expect(stop.followers).toBe(0);
  // Longer than the first wait had.
  await new Promise((resolve) => setTimeout(resolve, 20));
  give('said');
  expect(await next).toBe('said');
  patience.end();
});
