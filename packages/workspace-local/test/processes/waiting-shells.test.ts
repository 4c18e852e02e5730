import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalProcesses } from '../../src/processes/local-processes.ts';
import { createWaitingShells, type ShellRequest } from '../../src/processes/waiting-shells.ts';
import { finish, isRunning, until, waitingShells } from './run-command.ts';

const hasDash = existsSync('/bin/dash') || existsSync('/usr/bin/dash');
const runs = process.env['TOOLWRIGHT_LONG'] === '1' ? 1000 : 20;
let root: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tw-shells-')));
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

function request(given: Partial<ShellRequest>): ShellRequest {
  return {
    file: '/bin/true',
    args: [],
    cwd: root,
    env: { PATH: '/usr/bin:/bin' },
    stdout: join(root, 'stdout'),
    stderr: join(root, 'stderr'),
    ...given,
  };
}

function direct({ file, args, cwd, env }: ShellRequest) {
  const { stdout, stderr } = spawnSync(file, args, { cwd, env, encoding: 'utf8' });
  return { exitCode: 0, signal: null, stdout, stderr };
}

describe.runIf(hasDash)('a waiting shell', () => {
  const shells = createWaitingShells(16);
  afterAll(() => shells.close());

  /** Asks until a shell waits for it. */
  async function become(asked: ShellRequest) {
    let child = shells.become(asked, () => undefined);
    if (child === null) shells.expectMore();
    await until(() => {
      child ??= shells.become(asked, () => undefined);
      return child !== null;
    });
    if (child === null) throw new Error('No shell became the program.');
    const [exitCode, signal] = await once(child, 'exit');
    return {
      pid: child.pid,
      exitCode,
      signal,
      stdout: readFileSync(asked.stdout, 'utf8'),
      stderr: readFileSync(asked.stderr, 'utf8'),
    };
  }

  it('becomes the program in its own session and group, with nothing else open', async () => {
    const asked = request({
      file: 'bash',
      args: ['-c', 'cat /proc/$$/stat; ls /proc/$$/fd; readlink /proc/$$/fd/[0-2]'],
    });
    const { pid, stdout } = await become(asked);
    const [stat = '', ...open] = stdout.trim().split('\n');
    const [, , , , group, session, terminal] = stat.split(' ');
    expect({ group, session, terminal }).toEqual({
      group: String(pid),
      session: String(pid),
      terminal: '0',
    });
    const files = ['/dev/null', `${root}/stdout`, `${root}/stderr`];
    const inherited = direct(asked).stdout.trim().split('\n').slice(1, -3);
    expect(open).toEqual([...inherited, ...files]);
  });

  it('passes arguments on as they are, whatever they hold', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 });
    const hostile = fc.constantFrom(
      "'; touch pwned; '",
      '$(touch pwned)',
      '`touch pwned`',
      '\\',
      "\\'",
      'a\nb',
      'Á\u0081\u0088ÿ\u{1f600}',
      '%s',
      '-n',
      '',
      '\ud800',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(text, hostile), { maxLength: 6 }), async (words) => {
        const asked = request({
          file: 'printf',
          args: ['%s|', ...words.map((word) => word.replaceAll('\0', ''))],
        });
        expect(await become(asked)).toMatchObject(direct(asked));
      }),
      { numRuns: runs },
    );
    expect(existsSync(join(root, 'pwned'))).toBe(false);
  });

  it('gives exactly the environment asked for', async () => {
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/);
    const value = fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .map((text) => text.replaceAll('\0', ''));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value, { maxKeys: 5 }), async (variables) => {
        const env = { ...variables, PATH: '/usr/bin:/bin', TERM: "du'mb" };
        const asked = request({ file: '/usr/bin/env', args: ['-0'], env });
        const sorted = (text: string) => text.split('\0').toSorted();
        expect(sorted((await become(asked)).stdout)).toEqual(sorted(direct(asked).stdout));
      }),
      { numRuns: runs },
    );
  });

  it('tells that it has the pipes open, while the program runs', async () => {
    await become(request({}));
    shells.expectMore();
    let isOpen = false;
    const opened = () => {
      isOpen = true;
    };
    const asked = request({ file: 'sleep', args: ['651'] });
    let child = shells.become(asked, opened);
    await until(() => (child ??= shells.become(asked, opened)) !== null);
    await until(() => isOpen);
    expect(readlinkSync(`/proc/${child?.pid}/fd/1`)).toBe(`${root}/stdout`);
    child?.kill('SIGKILL');
  });

  it('runs in the directory asked for', async () => {
    const cwd = join(root, "it's a\n$HOME");
    mkdirSync(cwd);
    expect((await become(request({ file: 'pwd', cwd }))).stdout).toBe(`${cwd}\n`);
  });

  it('ends as the program ends', async () => {
    const bash = (line: string) => become(request({ file: '/bin/bash', args: ['-c', line] }));
    expect(await bash('exit 137')).toMatchObject({ exitCode: 137, signal: null });
    expect(await bash('kill -KILL $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    expect(await bash('kill -TERM $$')).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
    expect(await bash('echo out; echo err >&2')).toMatchObject({
      stdout: 'out\n',
      stderr: 'err\n',
    });
  });

  it('is not used where a start of its own tells more', async () => {
    await become(request({}));
    shells.expectMore();
    await until(() => shells.become(request({}), () => undefined) !== null);
    writeFileSync(join(root, 'script'), '#!/no/such/interpreter\n');
    chmodSync(join(root, 'script'), 0o755);
    const others: Partial<ShellRequest>[] = [
      { file: './script' },
      { file: '/bin/missing' },
      { file: 'missing' },
      { file: root },
      { file: '-p' },
      { cwd: join(root, 'missing') },
      { cwd: join(root, 'script') },
      { env: {} },
      { env: { PATH: '/usr/bin:/bin', 'a-b': '' } },
      { env: { PATH: '/usr/bin:/bin', OPTIND: 'x' } },
      { env: { PATH: '/usr/bin:/bin%builtin' } },
      { args: ['a\0b'] },
      { args: ['x'.repeat(70_000)] },
    ];
    for (const other of others) {
      shells.expectMore();
      await until(() => waitingShells(process.pid).length > 0);
      expect(shells.become(request(other), () => undefined)).toBeNull();
    }
  });
});

describe.runIf(hasDash)('the waiting shells', () => {
  it('become the commands of a workspace, and go with the broker, however it ends', async () => {
    const processes = new LocalProcesses({
      root,
      resolvePath: async (path) => path,
      sandbox: { enabled: false },
    });
    const run = async (line: string) => {
      const handle = await processes.spawn({ command: { kind: 'shell', line } });
      return { pid: handle.pid, ...(await finish(handle)) };
    };
    const broker = Number((await run('echo $PPID')).stdout);
    await until(() => waitingShells(broker).length === 1);
    const [waiting] = waitingShells(broker);
    expect(await run('sleep 650 >/dev/null 2>&1 & echo $$; exit 9')).toMatchObject({
      pid: waiting,
      exitCode: 9,
      signal: null,
      background: [expect.anything()],
      stdout: `${waiting}\n`,
      stderr: '',
    });
    await until(() => waitingShells(broker).length === 1);
    expect(await run('exec >&- 2>&-; kill -KILL $$')).toMatchObject({ signal: 'SIGKILL' });
    await until(() => waitingShells(broker).length === 1);
    const [last = 0] = waitingShells(broker);
    process.kill(broker, 'SIGKILL');
    await until(async () => !(await isRunning(last)));
    expect(await run('echo again')).toMatchObject({ exitCode: 0, stdout: 'again\n' });
    await processes.close();
  });

  it('are as many as were started in a row, and go with their owner', async () => {
    const own = createWaitingShells(16);
    expect(own.become(request({}), () => undefined)).toBeNull();
    for (let started = 0; started < 3; started += 1) own.expectMore();
    await until(() => waitingShells(process.pid).length === 3);
    for (let started = 0; started < 100; started += 1) own.expectMore();
    await until(() => waitingShells(process.pid).length === 16);
    const pids = waitingShells(process.pid);
    await own.close();
    for (const pid of pids) expect(await isRunning(pid)).toBe(false);
    expect(own.become(request({}), () => undefined)).toBeNull();
  });
});
