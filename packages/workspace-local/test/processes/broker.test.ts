import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { brokerCommand } from '../../src/processes/broker.ts';
import { isRunning, until } from './run-command.ts';

/** A host that starts one command through a broker, says which, and then does nothing. */
const host = `
const { spawn } = require('node:child_process');
const [file, ...args] = JSON.parse(process.argv[1]);
const broker = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], detached: true });
broker.on('message', (message) => {
  if (message.type === 'pipes') {
    broker.send({ type: 'start', id: 1, file: 'sh', args: ['-c', 'setsid sleep 660 & sleep 661'], cwd: '/',
      env: { PATH: process.env.PATH, T: 'host-death.' }, token: 'host-death.', sandboxed: false,
      stdin: null, stdout: message.paths[0], stderr: message.paths[1] });
  }
  if (message.type === 'started') console.log(broker.pid + ' ' + message.pid);
});
`;

it('ends everything it had started when its host is killed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tw-broker-'));
  const scratch = mkdtempSync(join(tmpdir(), 'tw-scratch-'));
  const command = brokerCommand({ directory, scratch, maxTasks: 512, graceMs: 100 });
  const child = spawn(process.execPath, ['-e', host, JSON.stringify(command)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve) => {
    child.stdout.once('data', (bytes: Buffer) => resolve(bytes.toString()));
  });
  const [broker = 0, started = 0] = line.trim().split(' ').map(Number);
  expect(await isRunning(started)).toBe(true);
  child.kill('SIGKILL');
  await until(async () => !(await isRunning(started)) && !(await isRunning(broker)));
  expect([existsSync(directory), existsSync(scratch)]).toEqual([false, false]);
  rmSync(directory, { recursive: true, force: true });
});
