import type { ChildProcess } from 'node:child_process';
import type { BrokerAnswer, BrokerRequest, BrokerSettings } from './broker-messages.ts';
import type { ProcessTree, TreeRoot } from './process-tree.ts';
import type { TaskLimit } from './task-limit.ts';
import type { WaitingShells } from './waiting-shells.ts';

/** What the broker is made of; each part is a function that stands on its own. */
export interface BrokerParts {
  readonly createProcessTree: (candidates: (() => number[]) | null) => ProcessTree;
  readonly createWaitingShells: (maxShells: number) => WaitingShells;
  readonly enterTaskGroup: (maxTasks: number) => TaskLimit | null;
}

/**
 * The main program of the broker: a small process that starts commands for a host of any size, because
 * the cost of `fork` grows with the memory of who calls it. Output never passes through it: it opens the
 * command's ends of FIFOs whose other ends the host reads. When the host goes away, however that
 * happens, the broker ends everything it started.
 *
 * The function must not use anything from outside its own body and arguments: its source is what runs.
 */
export function brokerMain(settings: BrokerSettings, parts: BrokerParts): void {
  const fs = process.getBuiltinModule('node:fs');
  const { spawn, execFile } = process.getBuiltinModule('node:child_process');
  const group = parts.enterTaskGroup(settings.maxTasks);
  // They count among the tasks.
  const shells = parts.createWaitingShells(Math.min(16, settings.maxTasks >> 6));
  const commandPids = () => (group?.pids() ?? []).filter((pid) => !shells.includes(pid));
  const tree = parts.createProcessTree(group === null ? null : commandPids);
  const jobs = new Map<number, { readonly root: TreeRoot; readonly reported: Promise<void> }>();
  let pipeCount = 0;
  let closing = false;

  const answer = (message: BrokerAnswer): void => {
    if (process.connected) process.send?.(message);
  };

  const makePipes = (count: number): void => {
    const paths = Array.from({ length: count }, () => {
      pipeCount += 1;
      return `${settings.directory}/${pipeCount}`;
    });
    execFile('mkfifo', ['-m', '600', ...paths], (error) => {
      answer({ type: 'pipes', paths: error === null ? paths : [] });
    });
  };

  // Opening one end of a FIFO waits for the other. While both are held here nothing waits, even if the
  // host has died meanwhile, and the command gets an end that blocks, as programs expect.
  const openPipe = (path: string, flags: 'r' | 'w'): number => {
    const both = fs.openSync(path, 'r+');
    try {
      return fs.openSync(path, flags);
    } finally {
      fs.closeSync(both);
    }
  };

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      setTimeout(resolve, ms);
    });

  const reportExit = async (
    id: number,
    root: TreeRoot,
    exit: { readonly exitCode: number | null; readonly signal: string | null },
  ): Promise<void> => {
    let left = tree.left(root);
    if (left.length > 0) {
      await pause(20); // who is only on its way out is not left behind
      left = tree.left(root);
    }
    if (left.length === 0) jobs.delete(id);
    answer({ type: 'exited', id, ...exit, left });
  };

  const start = (request: Extract<BrokerRequest, { type: 'start' }>): void => {
    const { id, token, sandboxed } = request;
    const open: number[] = [];
    const release = (): void => {
      for (const fd of open.splice(0)) fs.closeSync(fd);
    };
    const failed = (error: unknown): void => {
      release();
      const { code = 'EIO', message = String(error) }: { code?: string; message?: string } =
        error instanceof Error ? error : {};
      answer({ type: 'failed', id, code, message });
    };
    let child: ChildProcess;
    try {
      if (request.stdin !== null) open.push(openPipe(request.stdin, 'r'));
      open.push(openPipe(request.stdout, 'w'), openPipe(request.stderr, 'w'));
      // A shell opens the pipes itself, and tells when; until it has, they must not look ended.
      const shell = request.stdin === null ? shells.become(request, release) : null;
      child =
        shell ??
        spawn(request.file, request.args, {
          cwd: request.cwd,
          env: request.env,
          stdio: request.stdin === null ? ['ignore', ...open] : open,
          detached: true,
        });
      if (shell === null) release();
    } catch (error) {
      failed(error);
      return;
    } finally {
      shells.expectMore();
    }
    child.once('error', failed);
    if (child.pid === undefined) return;
    const root = { pid: child.pid, token, sandboxed };
    answer({ type: 'started', id, pid: child.pid });
    const reported = new Promise<void>((resolve) => {
      child.once('exit', (exitCode, signal) => resolve(reportExit(id, root, { exitCode, signal })));
    });
    jobs.set(id, { root, reported });
  };

  const end = async (id: number): Promise<void> => {
    const job = jobs.get(id);
    const survivors = job === undefined ? [] : await tree.end(job.root, settings.graceMs);
    // The exit is told before the end.
    if (job !== undefined && !survivors.some(({ pid }) => pid === job.root.pid)) await job.reported;
    jobs.delete(id);
    answer({ type: 'ended', id, survivors });
  };

  const handle = (request: BrokerRequest): void => {
    switch (request.type) {
      case 'start':
        start(request);
        return;
      case 'signal': {
        const job = jobs.get(request.id);
        if (job !== undefined) tree.signal(job.root, request.signal);
        answer({ type: 'signalled', id: request.id });
        return;
      }
      case 'end':
        void end(request.id);
        return;
      case 'members': {
        const job = jobs.get(request.id);
        const members = job === undefined ? [] : tree.left(job.root);
        answer({ type: 'members', id: request.id, members });
        return;
      }
      case 'make_pipes':
        makePipes(request.count);
        return;
      case 'drop_pipe':
        fs.rmSync(request.path, { force: true });
        return;
    }
  };

  // Who got away from every tree is still in the group, where there is one.
  const endStrays = async (): Promise<void> => {
    for (let wait = 1; wait <= 32; wait *= 2) {
      const strays = (group?.pids() ?? []).filter((pid) => pid > 0 && pid !== process.pid);
      if (strays.length === 0) return;
      for (const pid of strays) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // gone meanwhile
        }
      }
      await pause(wait);
    }
  };

  const close = async (): Promise<void> => {
    if (closing) return;
    closing = true;
    const ended = [...jobs.values()].map(({ root }) => tree.end(root, settings.graceMs));
    await Promise.all([...ended, shells.close()]);
    await endStrays();
    for (const directory of [settings.directory, settings.scratch]) {
      fs.rmSync(directory, { recursive: true, force: true });
    }
    group?.release();
    process.exit(0);
  };

  // The host's terminal sends its signals to the whole foreground group; the host decides what follows.
  for (const name of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(name, () => undefined);
  process.on('disconnect', () => void close());
  process.on('message', handle);
  makePipes(8);
  answer({ type: 'ready', tasksLimited: group !== null });
}
