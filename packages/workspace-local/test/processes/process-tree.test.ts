import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createProcessTree } from '../../src/processes/process-tree.ts';
import { isRunning, until } from './run-command.ts';

test('a member that is not seen at one look is ended all the same', async () => {
  const child = spawn('sh', ['-c', 'trap "" TERM; echo ready; while :; do sleep 1; done'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('sh did not start.');
  await once(child.stdout, 'data');
  let looks = 0;
  const tree = createProcessTree(() => {
    looks += 1;
    return looks === 2 ? [] : [pid];
  });
  const root = { pid, token: 'a-token-that-nobody-has', sandboxed: false };
  expect(await tree.end(root, 500)).toEqual([]);
  await until(async () => !(await isRunning(pid)));
  expect(looks).toBeGreaterThan(2);
});

test('a tree of which nothing is left is not looked at twice', async () => {
  let looks = 0;
  const tree = createProcessTree(() => {
    looks += 1;
    return [];
  });
  expect(await tree.end({ pid: 1, token: 'none', sandboxed: false }, 500)).toEqual([]);
  expect(looks).toBe(1);
});
