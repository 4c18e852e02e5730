import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localWorkspace } from '@toolwright/workspace-local';
import { expect, onTestFinished, test } from 'vitest';
import { interrupt } from '../../src/bash/interrupt.ts';
import { RunningCommand } from '../../src/bash/running-command.ts';

/** Starts a command, and waits until it has said something. */
async function start(line: string): Promise<RunningCommand> {
  const root = mkdtempSync(join(tmpdir(), 'tw-interrupt-'));
  const workspace = localWorkspace(root, { processes: { sandbox: { enabled: false } } });
  onTestFinished(async () => {
    await workspace.close();
    rmSync(root, { recursive: true, force: true });
  });
  const request = { command: { kind: 'shell', line }, cwd: '', input: 'closed' } as const;
  const handle = await workspace.processes?.spawn(request);
  if (handle === undefined) throw new Error('There are no processes here.');
  const command = new RunningCommand(handle, { line, openArtifact: null });
  while (command.stdout.bytes === 0) await command.change(1_000);
  return command;
}

const stubborn = 'trap "" TERM; echo part; while :; do sleep 1; done';

test('a cancelled command that ignores SIGTERM is told with what it said, and killed', async () => {
  const command = await start(stubborn);
  const how = { ending: 'cancelled', timeoutMs: 1_000, maxOutputBytes: 8_192 } as const;
  const error = await interrupt(command, how);
  expect(error).toMatchObject({ type: 'cancelled', output: 'part\n' });
  expect(error.fields).toMatchObject({ may_still_run: true });
  expect(error.metadata).toMatchObject({
    exit_code: null,
    timed_out: false,
    background_processes: [{ pid: command.handle.pid, command: stubborn }],
  });
  expect(await command.handle.exit).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  expect(await command.handle.close()).toEqual([]);
});

test('one that ran too long is waited for until it is killed', async () => {
  const command = await start(stubborn);
  const how = { ending: 'timeout', timeoutMs: 1_000, maxOutputBytes: 8_192 } as const;
  const error = await interrupt(command, how);
  expect(error).toMatchObject({ type: 'timeout', output: 'part\n' });
  expect(error.fields).toEqual({ op: 'bash', duration_ms: 1_000 });
  expect(error.metadata).toMatchObject({
    exit_code: null,
    signal: 'SIGKILL',
    timed_out: true,
    background_processes: [],
  });
});
