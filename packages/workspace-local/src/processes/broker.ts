import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolError } from '@toolwright/core';
import { brokerMain } from './broker-main.ts';
import type { BrokerAnswer, BrokerRequest, BrokerSettings } from './broker-messages.ts';
import type { LaunchedProcess, LaunchExit, LaunchRequest, LeftProcess } from './launcher.ts';
import { launchError } from './launch-error.ts';
import { PipePool, type InputPipe, type OutputPipe } from './pipe-pool.ts';
import { createProcessTree } from './process-tree.ts';
import { enterTaskGroup } from './task-limit.ts';
import { createWaitingShells } from './waiting-shells.ts';

/** Settings of a {@link Broker}. */
export interface BrokerOptions {
  /** Another directory that must not outlive the commands, even when the host is killed. */
  readonly scratch: string;
  /** Tasks (processes and threads) that all commands may have together. */
  readonly maxTasks: number;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs: number;
}

interface Pending {
  pid: number | null;
  readonly token: string;
  readonly sandboxed: boolean;
  readonly started: (pid: number) => void;
  readonly failed: (error: ToolError) => void;
  readonly exited: (exit: LaunchExit) => void;
  readonly members: ((members: readonly LeftProcess[]) => void)[];
  readonly signalled: (() => void)[];
  readonly ended: ((survivors: readonly LeftProcess[]) => void)[];
}

interface Pipes {
  readonly stdin: InputPipe | null;
  readonly stdout: OutputPipe;
  readonly stderr: OutputPipe;
}

/** One broker process, seen from the host: see `brokerMain` for what it does. */
export class Broker {
  readonly #child: ChildProcess;
  readonly #directory: string;
  readonly #graceMs: number;
  readonly #pool: PipePool;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #launching = 0;
  #tasksLimited: boolean;

  private constructor(child: ChildProcess, settings: BrokerSettings) {
    this.#child = child;
    this.#directory = settings.directory;
    this.#graceMs = settings.graceMs;
    this.#tasksLimited = limitedByCount();
    this.#pool = new PipePool({
      make: (count) => this.#send({ type: 'make_pipes', count }),
      drop: (path) => this.#send({ type: 'drop_pipe', path }),
    });
  }

  /** Starts a broker; `lost` is called when it ends without having been closed. */
  static async start(options: BrokerOptions, lost: () => void): Promise<Broker> {
    const directory = await mkdtemp(join(tmpdir(), 'toolwright-'));
    const settings: BrokerSettings = { directory, ...options };
    const [file, ...args] = brokerCommand(settings);
    const child = spawn(file, args, {
      cwd: '/',
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', ELECTRON_RUN_AS_NODE: '1' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      detached: true,
    });
    const broker = new Broker(child, settings);
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => {
        reject(brokerEnded());
        lost();
        void broker.#lose();
      });
      child.on('message', (message) => {
        // The broker is our own program, so its messages are of this type.
        const answer = message as BrokerAnswer;
        if (answer.type === 'ready') {
          broker.#tasksLimited ||= answer.tasksLimited;
          resolve();
        } else broker.#receive(answer);
      });
    });
    broker.#letGo();
    return broker;
  }

  /** Whether a limit on tasks holds for the commands. */
  get tasksLimited(): boolean {
    return this.#tasksLimited;
  }

  async launch(request: LaunchRequest): Promise<LaunchedProcess> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#hold();
    try {
      return await this.#start(id, request, await this.#openPipes(request.input));
    } finally {
      this.#launching -= 1;
      this.#letGo();
    }
  }

  /** Ends every command and the broker; idempotent. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const exited = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
    });
    if (child.connected) child.disconnect();
    const kill = setTimeout(() => child.kill('SIGKILL'), this.#graceMs + 5000);
    await exited;
    clearTimeout(kill);
  }

  async #openPipes(input: boolean): Promise<Pipes> {
    const opened: (InputPipe | OutputPipe)[] = [];
    try {
      const stdin = input ? await this.#pool.input() : null;
      if (stdin !== null) opened.push(stdin);
      const stdout = await this.#pool.output();
      opened.push(stdout);
      return { stdin, stdout, stderr: await this.#pool.output() };
    } catch (error) {
      for (const pipe of opened) pipe.abandon();
      throw error;
    }
  }

  async #start(id: number, request: LaunchRequest, pipes: Pipes): Promise<LaunchedProcess> {
    const { input: _, ...rest } = request;
    let exit: (exit: LaunchExit) => void;
    const exited = new Promise<LaunchExit>((resolve) => {
      exit = resolve;
    });
    const launched = new Promise<number>((started, failed) => {
      if (!this.#child.connected) throw brokerEnded();
      this.#pending.set(id, {
        pid: null,
        token: rest.token,
        sandboxed: rest.sandboxed,
        started,
        failed,
        exited: exit,
        members: [],
        signalled: [],
        ended: [],
      });
      this.#send({
        ...rest,
        type: 'start',
        id,
        stdin: pipes.stdin?.path ?? null,
        stdout: pipes.stdout.path,
        stderr: pipes.stderr.path,
      });
    });
    const pid = await launched.catch((error: unknown) => {
      for (const pipe of [pipes.stdin, pipes.stdout, pipes.stderr]) pipe?.abandon();
      throw error;
    });
    return {
      pid,
      stdin: pipes.stdin?.write() ?? null,
      stdout: pipes.stdout.read(),
      stderr: pipes.stderr.read(),
      exited,
      members: () =>
        new Promise((resolve) => {
          const pending = this.#pending.get(id);
          if (pending === undefined) return resolve([]);
          pending.members.push(resolve);
          this.#send({ type: 'members', id });
        }),
      signal: (name) =>
        new Promise((resolve) => {
          const pending = this.#pending.get(id);
          if (pending === undefined) return resolve();
          pending.signalled.push(resolve);
          this.#send({ type: 'signal', id, signal: name });
        }),
      end: () =>
        new Promise((resolve) => {
          const pending = this.#pending.get(id);
          if (pending === undefined) return resolve([]);
          pending.ended.push(resolve);
          this.#send({ type: 'end', id });
        }),
    };
  }

  #receive(answer: Exclude<BrokerAnswer, { type: 'ready' }>): void {
    switch (answer.type) {
      case 'pipes':
        this.#pool.add(answer.paths);
        return;
      case 'started': {
        const pending = this.#pending.get(answer.id);
        if (pending === undefined) return;
        pending.pid = answer.pid;
        pending.started(answer.pid);
        return;
      }
      case 'failed':
        this.#pending.get(answer.id)?.failed(launchError(answer.code, answer.message));
        this.#settle(answer.id, []);
        return;
      case 'exited': {
        const { exitCode, signal, left } = answer;
        this.#pending.get(answer.id)?.exited({ exitCode, signal, left });
        if (left.length === 0) this.#settle(answer.id, []);
        return;
      }
      case 'members':
        this.#pending.get(answer.id)?.members.shift()?.(answer.members);
        return;
      case 'signalled':
        this.#pending.get(answer.id)?.signalled.shift()?.();
        return;
      case 'ended':
        this.#settle(answer.id, answer.survivors);
        return;
    }
  }

  #settle(id: number, survivors: readonly LeftProcess[]): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    for (const resolve of pending?.members ?? []) resolve([]);
    for (const resolve of pending?.signalled ?? []) resolve();
    for (const resolve of pending?.ended ?? []) resolve(survivors);
    this.#letGo();
  }

  /** The broker is gone. Closed, it has ended all it had started; killed, that is ended here. */
  async #lose(): Promise<void> {
    this.#pool.fail(brokerEnded());
    const tree = createProcessTree(null);
    const lost = Array.from(this.#pending, async ([id, pending]) => {
      pending.failed(brokerEnded());
      const { pid, token, sandboxed } = pending;
      // One that was being started has no pid yet, but a token.
      const survivors = await tree.end({ pid: pid ?? noProcess, token, sandboxed }, 0);
      pending.exited({ exitCode: null, signal: 'SIGKILL', left: [] });
      this.#settle(id, survivors);
    });
    await Promise.allSettled(lost);
    await rm(this.#directory, { recursive: true, force: true }).catch(() => undefined);
  }

  #send(request: BrokerRequest): void {
    if (this.#child.connected) this.#child.send(request);
  }

  /** The broker keeps the host's event loop alive while commands start or run, and only then. */
  #hold(): void {
    this.#launching += 1;
    this.#child.ref();
    this.#child.channel?.ref();
  }

  #letGo(): void {
    if (this.#pending.size > 0 || this.#launching > 0) return;
    this.#child.unref();
    this.#child.channel?.unref();
  }
}

/** A pid that no process has. */
const noProcess = 2 ** 30;

function brokerEnded(): ToolError {
  return new ToolError('internal', 'The process broker ended; the next command starts another.', {
    reason: 'broker_ended',
  });
}

/** An ordinary user's tasks are limited by count; root is exempt from that and gets a control group. */
function limitedByCount(): boolean {
  return process.platform === 'linux' && process.getuid?.() !== 0;
}

/** No helper threads: a program forks the faster the less there is of it. */
const brokerFlags = ['--v8-pool-size=0', '--single-threaded', '--max-semi-space-size=1'] as const;

/** The command that starts a broker: a Node whose program is the source of `brokerMain` and its parts. */
export function brokerCommand(settings: BrokerSettings): readonly [string, ...string[]] {
  // `__name` stands in for a helper that some bundlers put around functions.
  const source = `const __name = (value) => value;
(${brokerMain.toString()})(${JSON.stringify(settings)}, {
  createProcessTree: ${createProcessTree.toString()},
  createWaitingShells: ${createWaitingShells.toString()},
  enterTaskGroup: ${enterTaskGroup.toString()},
});`;
  const node = [process.execPath, ...brokerFlags, '-e', source] as const;
  if (!limitedByCount()) return node;
  const limit = `n=$(ls -d /proc/[0-9]*/task/[0-9]* 2>/dev/null | wc -l)
ulimit -u $((n + ${settings.maxTasks})) 2>/dev/null; exec "$@"`;
  return ['/bin/bash', '-c', limit, 'bash', ...node];
}
