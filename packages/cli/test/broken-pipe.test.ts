import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { commandLine } from './session.ts';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The command as a process whose reader goes away before anything was written. */
function start(cli: ReturnType<typeof commandLine>, args: readonly string[]) {
  const child = spawn(
    process.execPath,
    [
      '--conditions=@toolwright/source',
      '--import',
      path('../../mcp/test/conformance/register-types.mjs'),
      path('../src/main.ts'),
      ...args,
    ],
    {
      cwd: cli.workspace,
      env: { PATH: process.env['PATH'] ?? '', HOME: cli.base, ...cli.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.destroy();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return { child, ended: once(child, 'close').then(([code]) => ({ code, stderr })) };
}

test('a reader that goes away is no failure of a listing', async () => {
  const { ended } = start(commandLine(), ['tools', '--types']);
  expect(await ended).toEqual({ code: 0, stderr: '' });
});

test('a session of lines ends when nobody reads its answers, though its input stays open', async () => {
  const { child, ended } = start(commandLine(), ['call', '--jsonl']);
  child.stdin.on('error', () => {});
  child.stdin.write(`${JSON.stringify({ name: 'ls', arguments: {} })}\n`);
  child.stdin.write(`${JSON.stringify({ name: 'bash', arguments: { command: 'sleep 60' } })}\n`);
  expect(await ended).toEqual({ code: 0, stderr: '' });
});
