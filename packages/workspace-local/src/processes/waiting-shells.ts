import type { ChildProcess } from 'node:child_process';

/** A program whose input is closed and whose output goes to two FIFOs, which somebody reads already. */
export interface ShellRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdout: string;
  readonly stderr: string;
}

/** Shells that were started ahead, each of which can turn into one program. */
export interface WaitingShells {
  /**
   * Makes a waiting shell the program, in its own session and group, as a start would. Null where none
   * waits, and for whatever only a start of its own does exactly or can fail at in a way to be told.
   * `opened` is called once the shell itself has opened the FIFOs, or has gone.
   */
  become(request: ShellRequest, opened: () => void): ChildProcess | null;
  /** Tells of a start, by whichever way; shells for the next ones are made when no more come for a while. */
  expectMore(): void;
  /** Whether this is one that waits. */
  includes(pid: number): boolean;
  /** Ends those that wait. */
  close(): Promise<void>;
}

/**
 * Makes {@link WaitingShells}. Forking a Node process costs more than most commands do; a shell that waits
 * has that behind it, and becomes a program by `exec`. As many wait as the largest of the last bursts of
 * commands started, at most `maxShells`; none before the first start, and none after a minute without one. They have an
 * empty environment, hold nothing but their own pipes, and end when that ends, however its writer does.
 *
 * Only dash is used, where it is: it is small, and what it does to the environment is known.
 *
 * The function must not use anything from outside its own body: its source is sent to the broker.
 */
export function createWaitingShells(maxShells: number): WaitingShells {
  const fs = process.getBuiltinModule('node:fs');
  const path = process.getBuiltinModule('node:path');
  const { Readable } = process.getBuiltinModule('node:stream');
  const { spawn } = process.getBuiltinModule('node:child_process');
  const quietMs = 100;
  const idleMs = 60_000;
  const maxLineBytes = 65_536;
  const dash = ['/bin/dash', '/usr/bin/dash'].find((file) => fs.existsSync(file));
  // Variables with a meaning for dash itself, which it would refuse, change or act on.
  const own = new Set(
    'IFS OPTIND LINENO PPID PWD OLDPWD ENV PS1 PS2 PS4 MAIL MAILPATH CDPATH'.split(' '),
  );
  const shells: ChildProcess[] = [];
  let burst = 0;
  let wanted = 0;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const forget = (shell: ChildProcess): void => {
    const index = shells.indexOf(shell);
    if (index >= 0) shells.splice(index, 1);
  };

  const fill = (): void => {
    while (shells.length > wanted) shells.pop()?.stdin?.end();
    if (dash === undefined || closed || burst > 0 || shells.length === wanted) return;
    const shell = spawn(dash, [], {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
      detached: true,
    });
    shell.on('error', () => forget(shell));
    shell.once('exit', () => forget(shell));
    shell.stdin?.on('error', () => undefined); // its exit tells the same
    shell.stdio[3]?.on('error', () => undefined);
    if (shell.pid === undefined) return; // too many processes: the next burst tries again
    shells.push(shell);
    setImmediate(fill); // a request that has come meanwhile goes first
  };

  const restart = (delayMs: number, act: () => void): void => {
    clearTimeout(timer);
    timer = setTimeout(act, delayMs);
  };

  const isDirectory = (folder: string): boolean => {
    try {
      return fs.statSync(folder).isDirectory();
    } catch {
      return false;
    }
  };

  const isNative = (file: string): boolean => {
    try {
      fs.accessSync(file, fs.constants.X_OK);
      const fd = fs.openSync(file, 'r');
      try {
        const magic = Buffer.alloc(4);
        return fs.readSync(fd, magic) === 4 && magic.toString('latin1') === '\x7fELF';
      } finally {
        fs.closeSync(fd);
      }
    } catch {
      return false;
    }
  };

  // A native program that is there starts; of scripts only the system knows whether their interpreter is.
  const starts = ({ file, cwd, env }: ShellRequest): boolean => {
    if (file.startsWith('-') || !isDirectory(cwd)) return false;
    if (file.includes('/')) return isNative(path.resolve(cwd, file));
    const { PATH = '' } = env;
    const found = PATH.split(':').map((folder) => path.resolve(cwd, folder, file));
    return isNative(found.find((candidate) => fs.existsSync(candidate)) ?? '');
  };

  const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

  const lineOf = (request: ShellRequest): string | null => {
    const { file, args, cwd, env, stdout, stderr } = request;
    const variables = Object.entries(env);
    const isPlain = variables.every(([name]) => /^[A-Za-z_]\w*$/.test(name) && !own.has(name));
    // In the search path of dash a `%` is no part of a name.
    if (!isPlain || variables.length === 0 || env['PATH']?.includes('%') === true) return null;
    const line = [
      `cd -P -- ${quote(cwd)} && unset PWD OLDPWD && export`,
      ...variables.map(([name, value]) => `${name}=${quote(value)}`),
      '&& exec',
      ...[file, ...args].map(quote),
      `</dev/null >${quote(stdout)} 2>${quote(stderr)} 3>&-\n`,
    ].join(' ');
    return line.includes('\0') || Buffer.byteLength(line) > maxLineBytes ? null : line;
  };

  return {
    become(request, opened) {
      if (shells.length === 0 || !starts(request)) return null;
      const line = lineOf(request);
      const shell = line === null ? undefined : shells.shift();
      if (line === null || shell === undefined) return null;
      const told = shell.stdio[3];
      told?.once('close', opened);
      if (told instanceof Readable) told.resume();
      shell.stdin?.end(line);
      return shell;
    },
    expectMore() {
      burst += 1;
      restart(quietMs, () => {
        wanted = Math.min(Math.max(burst, wanted - 1), maxShells);
        burst = 0;
        fill();
        restart(idleMs, () => {
          wanted = 0;
          fill();
        });
      });
    },
    includes: (pid) => shells.some((shell) => shell.pid === pid),
    async close() {
      closed = true;
      clearTimeout(timer);
      await Promise.all(
        shells.map(
          (shell) =>
            new Promise<void>((resolve) => {
              shell.once('exit', () => resolve());
              shell.kill('SIGKILL');
            }),
        ),
      );
    },
  };
}
