import {
  ToolError,
  type BackgroundProcess,
  type ProcessExit,
  type ProcessHandle,
} from '@toolwright/core';
import type { LaunchedProcess } from './launcher.ts';
import { OutputQueue } from './output-queue.ts';

/** What a {@link LocalProcess} is told beside the process itself. */
export interface LocalProcessOptions {
  readonly sandboxed: boolean;
  /** Ends the whole tree when aborted. */
  readonly signal?: AbortSignal | undefined;
  readonly changedPaths: () => Promise<readonly string[] | null>;
  /** Called once, when nothing of the process is left to care for. */
  readonly onClosed: () => void;
}

/** A running command of a local workspace. */
export class LocalProcess implements ProcessHandle {
  readonly pid: number;
  readonly sandboxed: boolean;
  readonly output: OutputQueue;
  readonly exit: Promise<ProcessExit>;
  readonly #process: LaunchedProcess;
  readonly #options: LocalProcessOptions;
  readonly #abort = (): void => void this.close();
  #closing: Promise<readonly BackgroundProcess[]> | null = null;

  constructor(launched: LaunchedProcess, options: LocalProcessOptions) {
    this.#process = launched;
    this.#options = options;
    this.pid = launched.pid;
    this.sandboxed = options.sandboxed;
    this.output = new OutputQueue(launched.stdout, launched.stderr);
    launched.stdin?.on('error', () => undefined); // reported to the writer; a dead reader is no failure
    this.exit = launched.exited.then(({ exitCode, signal, left }) => {
      launched.stdin?.destroy();
      if (left.length === 0) options.signal?.removeEventListener('abort', this.#abort);
      return { exitCode, signal, background: left };
    });
    if (options.signal?.aborted === true) this.#abort();
    else options.signal?.addEventListener('abort', this.#abort, { once: true });
  }

  async writeInput(bytes: Uint8Array): Promise<void> {
    const stdin = this.#input();
    await new Promise<void>((resolve, reject) => {
      stdin.write(bytes, (error) => {
        if (error === null || error === undefined) resolve();
        else reject(inputClosed(error));
      });
    });
  }

  async endInput(): Promise<void> {
    const stdin = this.#process.stdin;
    if (stdin === null || stdin.destroyed || stdin.writableEnded) return;
    await new Promise<void>((resolve) => {
      stdin.once('close', () => resolve());
      stdin.end(() => stdin.destroy());
    });
  }

  changedPaths(): Promise<readonly string[] | null> {
    return this.#options.changedPaths();
  }

  members(): Promise<readonly BackgroundProcess[]> {
    return this.#process.members();
  }

  kill(signal: 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP' = 'SIGTERM'): Promise<void> {
    return this.#process.signal(signal);
  }

  close(): Promise<readonly BackgroundProcess[]> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<readonly BackgroundProcess[]> {
    this.#options.signal?.removeEventListener('abort', this.#abort);
    const survivors = await this.#process.end();
    this.#process.stdin?.destroy();
    // Whoever still holds a pipe is none of ours any more: nothing waits for it.
    this.output.close();
    this.#options.onClosed();
    return survivors;
  }

  #input(): NonNullable<LaunchedProcess['stdin']> {
    const { stdin } = this.#process;
    if (stdin === null) {
      throw new ToolError('invalid_argument', 'The command was started with its input closed.', {
        reason: 'no_input',
      });
    }
    if (stdin.destroyed || stdin.writableEnded) throw inputClosed(undefined);
    return stdin;
  }
}

function inputClosed(cause: unknown): ToolError {
  return new ToolError('invalid_argument', 'The command no longer reads its input.', {
    reason: 'input_closed',
    cause,
  });
}
