import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SpawnRequest } from '@toolwright/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalProcesses } from '../../src/processes/local-processes.ts';
import { finish, isRunning } from '../processes/run-command.ts';

let base: string;
let root: string;
let home: string;
let processes: LocalProcesses;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'tw-sandbox-')));
  root = join(base, 'root');
  home = join(base, 'home');
  mkdirSync(join(root, '.git/hooks'), { recursive: true });
  writeFileSync(join(root, '.git/config'), '[core]\n');
  mkdirSync(join(home, '.ssh'), { recursive: true });
  writeFileSync(join(home, '.ssh/id_ed25519'), 'private key');
  mkdirSync(join(home, '.cargo'), { recursive: true });
  writeFileSync(join(home, '.cargo/credentials.toml'), 'cargo token');
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(base, 'outside/file'), 'outside');
  mkdirSync(join(root, 'app'));
  writeFileSync(join(root, 'app/.env.local'), 'TOKEN=1');
  mkdirSync(join(root, 'node_modules/kit'), { recursive: true });
  linkSync(join(root, 'app/.env.local'), join(root, 'app/plain.txt'));
  linkSync(join(root, 'app/.env.local'), join(root, 'node_modules/kit/data'));
  processes = new LocalProcesses({
    root,
    resolvePath: async (path) => path,
    hostEnv: { ...process.env, HOME: home },
    maxTasks: 200,
    graceMs: 100,
  });
  // The sandbox is part of what is promised on Linux, so a machine without it must be told, not skipped.
  if (!processes.sandbox.available) {
    throw new Error(
      `${processes.sandbox.description} Install bubblewrap (apt-get install bubblewrap) and allow user namespaces.`,
    );
  }
});

afterAll(async () => {
  await processes.close();
  rmSync(base, { recursive: true, force: true });
});

async function run(line: string, request: Partial<SpawnRequest> = {}) {
  const handle = await processes.spawn({ command: { kind: 'shell', line }, ...request });
  return finish(handle);
}

describe('the sandbox', () => {
  it('is the default, and lets work happen in the workspace', async () => {
    const handle = await processes.spawn({
      command: { kind: 'shell', line: 'echo x > made; pwd' },
    });
    expect(handle.sandboxed).toBe(true);
    expect(await finish(handle)).toMatchObject({ exitCode: 0, stdout: `${root}\n`, stderr: '' });
    expect(readFileSync(join(root, 'made'), 'utf8')).toBe('x\n');
  });

  it.each([
    ['the home directory', () => `cat ${home}/.ssh/id_ed25519`],
    ['a credential of a toolchain', () => `cat ${home}/.cargo/credentials.toml`],
    ['the rest of the machine', () => `cat ${base}/outside/file`],
    ['a credential file of the workspace', () => 'cat app/.env.local'],
    ['a hard link to one', () => 'cat app/plain.txt'],
    ['a hard link to one among dependencies', () => 'cat node_modules/kit/data'],
    ['passwords of the system', () => 'cat /etc/shadow'],
    ['sockets of services', () => 'ls /run/docker.sock /run/systemd'],
    ['another process', () => `cat /proc/${process.pid}/environ`],
  ])('hides %s', async (_, line) => {
    const { exitCode, stdout } = await run(line());
    expect(exitCode).not.toBe(0);
    expect(stdout).toBe('');
  });

  it.each([
    ['outside', () => `${base}/outside/new`],
    ['in the root directory', () => '/new'],
    ['in system directories', () => '/etc/new'],
    ['hooks that the user would run', () => '.git/hooks/post-checkout'],
    ['the configuration of the repository', () => '.git/config'],
  ])('cannot write %s', async (_, path) => {
    expect((await run(`echo evil > ${path()}`)).exitCode).not.toBe(0);
    expect(existsSync(path()) && readFileSync(path(), 'utf8').includes('evil')).toBe(false);
    expect(readFileSync(join(root, '.git/config'), 'utf8')).toBe('[core]\n');
  });

  it('keeps /tmp between commands and throws the home directory away', async () => {
    await run('echo kept > /tmp/kept; echo gone > ~/gone');
    const { stdout } = await run('cat /tmp/kept; cat ~/gone 2>/dev/null || echo no home');
    expect(stdout).toBe('kept\nno home\n');
    expect(existsSync('/tmp/kept')).toBe(false);
  });

  it('has no network unless it is asked for', async () => {
    const server = createServer((socket) => socket.end('reached\n'));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const line = `cat < /dev/tcp/127.0.0.1/${port}`;
    expect(await run(line)).toMatchObject({ exitCode: 1, stdout: '' });
    expect(await run(line, { network: true })).toMatchObject({ exitCode: 0, stdout: 'reached\n' });
    server.close();
  });

  it('can be left by who is allowed to', async () => {
    const handle = await processes.spawn({
      command: { kind: 'shell', line: `cat ${base}/outside/file` },
      sandbox: 'unconfined',
    });
    expect(handle.sandboxed).toBe(false);
    expect((await finish(handle)).stdout).toBe('outside');
  });

  it('ends with everything inside, also what cleared its environment', async () => {
    const handle = await processes.spawn({
      command: {
        kind: 'shell',
        line: '(env -i setsid sh -c "sleep 620 & sleep 621" >/dev/null 2>&1 &); sleep 0.03; echo done',
      },
    });
    const exit = await handle.exit;
    expect(exit.background.map(({ command }) => command)).toContain('sleep 621');
    expect(await handle.close()).toEqual([]);
    for (const { pid } of exit.background) expect(await isRunning(pid)).toBe(false);
  });

  it('lets a command end itself when asked to', async () => {
    const handle = await processes.spawn({
      command: {
        kind: 'shell',
        line: 'trap "echo bye; exit 5" TERM; echo ready; sleep 622 & wait',
      },
    });
    const output = handle.output[Symbol.asyncIterator]();
    await output.next();
    await handle.kill('SIGTERM');
    expect(await handle.exit).toMatchObject({ exitCode: 5 });
    expect(Buffer.from((await output.next()).value?.bytes ?? []).toString()).toBe('bye\n');
    await handle.close();
  });

  it('contains a fork bomb and survives it', async () => {
    const controller = new AbortController();
    const handle = await processes.spawn({
      command: { kind: 'shell', line: 'f() { f | f & }; f; echo started; sleep 5' },
      signal: controller.signal,
    });
    let stderr = '';
    for await (const { stream, bytes } of handle.output) {
      if (stream === 'stderr') stderr += Buffer.from(bytes).toString();
      if (stderr.includes('fork')) controller.abort();
    }
    await handle.close();
    expect(stderr).toMatch(/fork/);
    expect((await run('echo fine')).stdout).toBe('fine\n');
  }, 30_000);
});
