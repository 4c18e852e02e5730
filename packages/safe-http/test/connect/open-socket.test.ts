import { expect, onTestFinished, test } from 'vitest';
import { openSocket } from '../../src/connect/open-socket.ts';

test('attempts that fail after their request was given up fail for nobody', async () => {
  const unheard: unknown[] = [];
  const note = (reason: unknown): void => void unheard.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  let fail: ((error: Error) => void) | undefined;
  const failing = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const reason = new Error('given up');
  const opening = openSocket([{ address: '127.0.0.1', port: 1 }], {
    connector: () => failing,
    signal: AbortSignal.abort(reason),
  });
  await expect(opening).rejects.toBe(reason);
  fail?.(new Error('too late'));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(unheard).toEqual([]);
});
