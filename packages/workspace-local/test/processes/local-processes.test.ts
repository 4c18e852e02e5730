import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolError, type SpawnRequest } from '@toolwright/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalProcesses } from '../../src/processes/local-processes.ts';
import { finish, isRunning, until, waitingShells } from './run-command.ts';

/** Bursts of ten commands, after which nothing may have been kept open. */
const bursts = process.env['TOOLWRIGHT_LONG'] === '1' ? 1000 : 10;

let root: string;
let processes: LocalProcesses;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tw-processes-')));
  processes = new LocalProcesses({
    root,
    resolvePath: async (path) => path,
    sandbox: { enabled: false },
    graceMs: 100,
  });
});

afterAll(async () => {
  await processes.close();
  rmSync(root, { recursive: true, force: true });
});

function shell(line: string, request: Partial<SpawnRequest> = {}) {
  return processes.spawn({ command: { kind: 'shell', line }, ...request });
}

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return ''; // closed meanwhile
  }
}

describe('a finished command', () => {
  it('keeps streams, exit code and signal apart', async () => {
    expect(await finish(await shell('echo out; echo err >&2; exit 3'))).toEqual({
      exitCode: 3,
      signal: null,
      background: [],
      stdout: 'out\n',
      stderr: 'err\n',
    });
    expect(await finish(await shell('kill -KILL $$'))).toMatchObject({
      exitCode: null,
      signal: 'SIGKILL',
    });
  });

  it('has real pipes, so that its streams can be opened by name', async () => {
    const { exitCode, stdout, stderr } = await finish(
      await shell('echo a > /dev/stderr; echo b | tee /dev/stderr; cat /dev/stdin'),
    );
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: 'b\n', stderr: 'a\nb\n' });
  });

  it('delivers every byte of more than the pipe holds, however slowly it is read', async () => {
    const handle = await shell('seq 1 300000 | tee >(sha256sum >&2)');
    const hash = createHash('sha256');
    const memories = new Set<ArrayBufferLike>();
    let told = '';
    for await (const { stream, bytes } of handle.output) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      if (stream === 'stdout') {
        hash.update(bytes);
        memories.add(bytes.buffer);
      } else {
        told += Buffer.from(bytes).toString();
      }
    }
    expect(told).toBe(`${hash.digest('hex')}  -\n`);
    expect(memories.size).toBe(1);
  });

  it('lets go of output that nobody reads', async () => {
    const own = new LocalProcesses({ root, resolvePath: async (path) => path });
    const command: SpawnRequest['command'] = { kind: 'shell', line: 'echo unread' };
    const handle = await own.spawn({ command, sandbox: 'unconfined' });
    await handle.exit;
    const streams = () =>
      readdirSync('/proc/self/fd').filter((fd) => linkOf(fd).includes('/toolwright-')).length;
    expect(streams()).toBeGreaterThan(0);
    await own.close();
    await until(() => streams() === 0);
  });

  it('starts programs without a shell', async () => {
    const handle = await processes.spawn({
      command: { kind: 'program', file: 'printf', args: ['%s|', '$HOME', 'a b', '-n'] },
    });
    expect((await finish(handle)).stdout).toBe('$HOME|a b|-n|');
  });

  it('runs in the directory asked for', async () => {
    mkdirSync(join(root, 'sub dir'));
    expect((await finish(await shell('pwd', { cwd: 'sub dir' }))).stdout).toBe(`${root}/sub dir\n`);
  });

  it('reuses its pipes without mixing up commands', async () => {
    const results = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => (await finish(await shell(`echo ${i}`))).stdout),
    );
    expect(results).toEqual(Array.from({ length: 40 }, (_, i) => `${i}\n`));
  });
});

it('keeps nothing open of the commands that have ended', { timeout: 1_200_000 }, async () => {
  const broker = Number((await finish(await shell('echo $PPID'))).stdout);
  // A shell that waits has two of the broker's.
  const descriptors = (): readonly [number, number] => [
    readdirSync('/proc/self/fd').length,
    readdirSync(`/proc/${broker}/fd`).length - 2 * waitingShells(broker).length,
  ];
  const burst = async () => {
    const commands = Array.from({ length: 10 }, async (_, i) => {
      const handle = await shell(`echo ${i}; echo e >&2; exit 3`);
      const { exitCode, stdout } = await finish(handle);
      await handle.close();
      return `${exitCode} ${stdout}`;
    });
    expect(await Promise.all(commands)).toEqual(Array.from({ length: 10 }, (_, i) => `3 ${i}\n`));
  };
  for (let round = 0; round < 3; round += 1) await burst();
  const [host, brokers] = descriptors();
  for (let round = 0; round < bursts; round += 1) await burst();
  await until(() => {
    const now = descriptors();
    return now[0] <= host && now[1] <= brokers;
  });
});

describe('a command that cannot start', () => {
  it('says what is missing', async () => {
    await expect(
      processes.spawn({ command: { kind: 'program', file: 'no-such-program', args: [] } }),
    ).rejects.toMatchObject({ type: 'not_found', reason: 'cannot_start' });
    await expect(shell('true', { cwd: 'missing' })).rejects.toMatchObject({ type: 'not_found' });
    writeFileSync(join(root, 'file'), '');
    await expect(shell('true', { cwd: 'file' })).rejects.toMatchObject({
      type: 'invalid_argument',
      reason: 'not_a_directory',
    });
    await expect(shell('echo a\0b')).rejects.toMatchObject({ type: 'invalid_argument' });
    await expect(shell(`: ${'x'.repeat(3_000_000)}`)).rejects.toMatchObject({
      type: 'invalid_argument',
    });
    expect((await finish(await shell('echo still fine'))).stdout).toBe('still fine\n');
  });

  it('SHELL-015 does not run when the signal is already aborted', async () => {
    await expect(shell('touch marker', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      type: 'cancelled',
    });
    expect(existsSync(join(root, 'marker'))).toBe(false);
  });

  it('refuses the sandbox where there is none', async () => {
    expect(processes.sandbox).toEqual({
      available: false,
      description: expect.stringMatching(
        /^Switched off by the host\. (All commands together may have \d+ processes and threads|The number of processes cannot be limited here)\.$/,
      ),
    });
    await expect(shell('true', { sandbox: 'sandboxed' })).rejects.toMatchObject({
      type: 'unsupported',
      reason: 'no_sandbox',
    });
  });
});

describe('input', () => {
  it('is closed unless asked for', async () => {
    expect(await finish(await shell('read x; echo $?'))).toMatchObject({ stdout: '1\n' });
  });

  it('reaches the command, and ends', async () => {
    const handle = await shell('cat; echo end', { input: 'pipe' });
    await handle.writeInput(Buffer.from('one\n'));
    await handle.writeInput(Buffer.from('two\n'));
    await handle.endInput();
    await handle.endInput();
    expect((await finish(handle)).stdout).toBe('one\ntwo\nend\n');
    await expect(handle.writeInput(Buffer.from('x'))).rejects.toMatchObject({
      reason: 'input_closed',
    });
  });

  it('fails instead of waiting when the command is gone', async () => {
    const handle = await shell('exit 0', { input: 'pipe' });
    await handle.exit;
    await expect(handle.writeInput(Buffer.alloc(1_000_000))).rejects.toMatchObject({
      reason: 'input_closed',
    });
    const closed = await shell('exit 0');
    await expect(closed.writeInput(Buffer.from('x'))).rejects.toMatchObject({ reason: 'no_input' });
  });
});

describe('the process tree', () => {
  it('reports who stays behind and ends it on close', async () => {
    // Done when both have become what they are looked for as.
    const handle = await shell(
      'sleep 600 & a=$!; sleep 601 >/dev/null 2>&1 & ' +
        'until grep -q ^sleep /proc/$a/cmdline && grep -q ^sleep /proc/$!/cmdline; do sleep 0.01; done',
    );
    const exit = await handle.exit;
    expect(exit.background.map(({ command }) => command).toSorted()).toEqual([
      'sleep 600',
      'sleep 601',
    ]);
    expect(await handle.close()).toEqual([]);
    for (const { pid } of exit.background) expect(await isRunning(pid)).toBe(false);
  });

  it('finds who left the group, the session and its parents', async () => {
    // Done when the one that went away has become what it is looked for as.
    const handle = await shell(
      '(setsid sh -c "sleep 602 & echo \\$\\$ > gone; exec sleep 603" &); ' +
        'until [ -s gone ] && grep -q ^sleep /proc/$(cat gone)/cmdline; do sleep 0.01; done; echo done',
    );
    const exit = await handle.exit;
    expect(exit.background.map(({ command }) => command)).toContain('sleep 603');
    expect(await handle.close()).toEqual([]);
    for (const { pid } of exit.background) expect(await isRunning(pid)).toBe(false);
  });

  it('is ended by abort, TERM trapped or not', async () => {
    const controller = new AbortController();
    const handle = await shell('trap "" TERM; sleep 604 & echo $!; sleep 605', {
      signal: controller.signal,
    });
    const iterator = handle.output[Symbol.asyncIterator]();
    const { value } = await iterator.next();
    const pid = Number(Buffer.from(value?.bytes ?? []).toString());
    controller.abort();
    expect(await handle.exit).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    await handle.close();
    expect(await isRunning(pid)).toBe(false);
    expect(await iterator.next()).toMatchObject({ done: true });
  });

  it('is signalled as a whole', async () => {
    const handle = await shell('trap "echo got; exit 7" TERM; sleep 606 & echo ready; wait');
    const output = handle.output[Symbol.asyncIterator]();
    await output.next();
    await handle.kill('SIGTERM');
    expect(await handle.exit).toMatchObject({ exitCode: 7, signal: null, background: [] });
    expect(Buffer.from((await output.next()).value?.bytes ?? []).toString()).toBe('got\n');
  });

  it('leaves nothing after 200 cancelled commands', async () => {
    const pids: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          const controller = new AbortController();
          const line = i % 5 === 0 ? 'sleep 608 & setsid sleep 609 & wait' : 'exec sleep 607';
          const handle = await shell(line, { signal: controller.signal });
          pids.push(handle.pid);
          controller.abort();
          await handle.exit;
          await handle.close();
        }),
      );
    }
    expect(pids).toHaveLength(200);
    const left = await finish(await shell('ps -eo args | grep -E "^sleep 60[789]$"'));
    expect(left.stdout).toBe('');
  }, 60_000);

  it('goes with the workspace', async () => {
    const own = new LocalProcesses({ root, resolvePath: async (path) => path, graceMs: 100 });
    const request: SpawnRequest = {
      command: { kind: 'shell', line: 'sleep 610 & sleep 611' },
      sandbox: 'unconfined',
    };
    const handle = await own.spawn(request);
    await own.close();
    expect(await isRunning(handle.pid)).toBe(false);
    await expect(own.spawn(request)).rejects.toMatchObject({ type: 'cancelled' });
    await own.close();
  });

  it('survives the death of the broker, and what it had started does not', async () => {
    const handle = await shell('setsid sleep 613 & sleep 612 & echo $! $PPID; wait');
    const { value } = await handle.output[Symbol.asyncIterator]().next();
    const [pid = 0, broker = 0] = Buffer.from(value?.bytes ?? [])
      .toString()
      .split(' ')
      .map(Number);
    await until(async () =>
      (await handle.members()).some(({ command }) => command === 'sleep 613'),
    );
    const members = await handle.members();
    process.kill(broker, 'SIGKILL');
    expect(await handle.exit).toMatchObject({ exitCode: null, signal: 'SIGKILL', background: [] });
    expect(await handle.close()).toEqual([]);
    expect(members.map((member) => member.pid)).toContain(pid);
    for (const member of [handle, ...members]) expect(await isRunning(member.pid)).toBe(false);
    expect((await finish(await shell('echo again'))).stdout).toBe('again\n');
  });

  it('fails with a typed error when the broker dies while a command is being started', async () => {
    const { stdout } = await finish(await shell('echo $PPID'));
    const starting = [shell('sleep 614'), shell('sleep 614')];
    process.kill(Number(stdout), 'SIGKILL');
    const ends = starting.map(async (command) => {
      try {
        return (await (await command).exit).signal;
      } catch (error) {
        return error instanceof ToolError ? error.reason : error;
      }
    });
    for (const end of await Promise.all(ends)) expect(['SIGKILL', 'broker_ended']).toContain(end);
    const left = await finish(await shell('ps -eo args | grep "^sleep 614$"'));
    expect(left.stdout).toBe('');
  });
});
