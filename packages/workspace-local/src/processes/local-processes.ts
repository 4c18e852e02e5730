import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  pathNotFound,
  ToolError,
  type ProcessHandle,
  type SpawnRequest,
  type WorkspaceProcesses,
} from '@toolwright/core';
import { codeOf, notADirectory, unreadable } from '../files/local-paths.ts';
import { Sandbox, type SandboxOptions } from '../sandbox/sandbox.ts';
import { BrokerLauncher } from './broker-launcher.ts';
import { DirectLauncher } from './direct-launcher.ts';
import { commandEnvironment } from './environment.ts';
import { expectsTaskLimit } from './expects-task-limit.ts';
import type { Launcher } from './launcher.ts';
import { LocalProcess } from './local-process.ts';
import { findShell, type Shell } from './shell.ts';

/** What a host may set about commands. */
export interface ProcessOptions {
  /** Names of variables of the host's environment that commands get beside the ordinary ones. Default none. */
  readonly allowEnv?: readonly string[];
  readonly sandbox?: SandboxOptions;
  /** Tasks (processes and threads) of all commands together. Default 1,024, more on large machines. */
  readonly maxTasks?: number;
  /** Milliseconds between SIGTERM and SIGKILL when a tree is ended. Default 500; 0–10,000. */
  readonly graceMs?: number;
}

/** What the service needs of its workspace. */
export interface ProcessesOptions extends ProcessOptions {
  /** Real path of the root. */
  readonly root: string;
  /** Contained real workspace path of a caller's path. */
  readonly resolvePath: (path: string) => Promise<string>;
  /** Absolute paths outside the root that the repository needs, such as a worktree's common directory. */
  readonly repositoryPaths?: () => Promise<readonly string[]>;
  /** What changed in the workspace since a moment, in milliseconds since 1970. Default: not known. */
  readonly changedPaths?: (sinceMs: number) => Promise<readonly string[] | null>;
  /** The host's environment. Default: that of this process when a command starts. */
  readonly hostEnv?: Readonly<Record<string, string | undefined>>;
}

/** Commands of a local workspace. */
export class LocalProcesses implements WorkspaceProcesses {
  readonly #options: ProcessesOptions;
  readonly #launcher: Launcher;
  readonly #shell: Shell;
  readonly #sandbox: Sandbox;
  readonly #maxTasks: number;
  readonly #open = new Set<LocalProcess>();
  readonly #nonce = randomBytes(6).toString('hex');
  #lastToken = 0;

  constructor(options: ProcessesOptions) {
    this.#options = options;
    this.#maxTasks = options.maxTasks ?? Math.max(1024, availableParallelism() * 64);
    const graceMs = Math.min(Math.max(options.graceMs ?? 500, 0), 10_000);
    const scratch = join(tmpdir(), `toolwright-tmp-${this.#nonce}`);
    this.#launcher =
      process.platform === 'win32'
        ? new DirectLauncher()
        : new BrokerLauncher({ maxTasks: this.#maxTasks, graceMs, scratch });
    this.#shell = findShell(process.platform);
    this.#sandbox = new Sandbox({ ...options.sandbox, root: options.root, temporary: scratch });
  }

  get sandbox(): { readonly available: boolean; readonly description: string } {
    const { available, description } = this.#sandbox.status;
    const limit = expectsTaskLimit()
      ? `All commands together may have ${this.#maxTasks} processes and threads.`
      : 'The number of processes cannot be limited here.';
    return { available, description: `${description} ${limit}` };
  }

  /** The shell that command lines are written for. */
  get shell(): Shell['kind'] {
    return this.#shell.kind;
  }

  async spawn(request: SpawnRequest): Promise<ProcessHandle> {
    assertNotAborted(request.signal);
    const cwd = await this.#directory(request.cwd ?? '');
    const sandboxed = this.#confine(request);
    const token = this.#token();
    const command = this.#command(request, { cwd, token });
    const wrapped = sandboxed ? await this.#wrap(command, request.network === true) : command;
    assertNotAborted(request.signal);
    const sinceMs = Date.now();
    const launched = await this.#launcher.launch({
      ...wrapped,
      input: request.input === 'pipe',
      token,
      sandboxed,
    });
    const running = new LocalProcess(launched, {
      sandboxed,
      signal: request.signal,
      changedPaths: async () => (await this.#options.changedPaths?.(sinceMs)) ?? null,
      onClosed: () => this.#open.delete(running),
    });
    this.#open.add(running);
    void this.#forgetFinished(running);
    return running;
  }

  /** Ends everything that was started; idempotent. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#open].map((running) => running.close()));
    await Promise.allSettled([this.#launcher.close(), this.#sandbox.close()]);
  }

  async #forgetFinished(running: LocalProcess): Promise<void> {
    const { background } = await running.exit;
    if (background.length > 0) return;
    await running.output.ended;
    this.#open.delete(running);
  }

  #confine(request: SpawnRequest): boolean {
    if (request.sandbox === 'unconfined') return false;
    if (this.#sandbox.status.available) return true;
    if (request.sandbox === undefined) return false;
    throw new ToolError('unsupported', `No sandbox: ${this.#sandbox.status.description}`, {
      reason: 'no_sandbox',
    });
  }

  #command(request: SpawnRequest, place: { readonly cwd: string; readonly token: string }) {
    const { command, env = {} } = request;
    const program =
      command.kind === 'shell'
        ? { file: this.#shell.file, args: this.#shell.args(command.line) }
        : { file: command.file, args: command.args };
    return {
      ...program,
      cwd: place.cwd,
      env: {
        ...commandEnvironment({
          host: this.#options.hostEnv ?? process.env,
          allow: this.#options.allowEnv ?? [],
          call: env,
        }),
        TOOLWRIGHT_COMMAND: place.token,
      },
    };
  }

  async #wrap(
    command: {
      readonly file: string;
      readonly args: readonly string[];
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
    },
    network: boolean,
  ) {
    const readable = (await this.#options.repositoryPaths?.()) ?? [];
    return this.#sandbox.wrap({ ...command, network, readable });
  }

  // A toolwright that runs inside a command keeps the outer token, so that the outer one still finds it.
  #token(): string {
    this.#lastToken += 1;
    const outer = process.env['TOOLWRIGHT_COMMAND'];
    const own = `${this.#nonce}-${this.#lastToken}.`;
    return outer === undefined ? own : `${outer}${own}`;
  }

  async #directory(path: string): Promise<string> {
    const real = await this.#options.resolvePath(path);
    const absolute = join(this.#options.root, real);
    // Through the directory itself, which needs the right to enter it.
    const found = await stat(`${absolute}/.`).catch((error: unknown) => codeOf(error) ?? 'UNKNOWN');
    if (found === 'EACCES') throw unreadable(path, undefined);
    if (found === 'ENOTDIR') throw notADirectory(path);
    if (typeof found === 'string') throw pathNotFound(path);
    return absolute;
  }
}

function assertNotAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) {
    throw new ToolError('cancelled', 'The call was cancelled before the command started.');
  }
}
