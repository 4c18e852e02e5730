import { spawn, type ChildProcess } from 'node:child_process';
import { ToolError } from '@toolwright/core';
import { launchError } from './launch-error.ts';
import type {
  LaunchedProcess,
  Launcher,
  LaunchExit,
  LaunchRequest,
  LeftProcess,
} from './launcher.ts';
import { readableSource } from './output-source.ts';

/** The arguments of `taskkill` that end a process and all its descendants. */
export function taskkillArgs(pid: number): readonly string[] {
  return ['/pid', String(pid), '/T', '/F'];
}

/**
 * Starts programs from this process itself, over ordinary pipes: for Windows, where starting does not
 * depend on the size of the host and there are no process groups. A tree is ended by `taskkill /T`, which
 * follows parents; what is left after a command's own exit is not known there.
 */
export class DirectLauncher implements Launcher {
  readonly #running = new Set<LaunchedProcess>();
  #closed = false;

  async launch(request: LaunchRequest): Promise<LaunchedProcess> {
    if (this.#closed) throw new ToolError('cancelled', 'The workspace is closed.');
    const child = spawn(request.file, request.args, {
      cwd: request.cwd,
      env: request.env,
      stdio: [request.input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const pid = await started(child);
    const { stdin, stdout, stderr } = child;
    if (stdout === null || stderr === null) throw new TypeError('The child has no pipes.');
    const exited = new Promise<LaunchExit>((resolve) => {
      child.once('exit', (exitCode, signal) => {
        this.#running.delete(launched);
        resolve({ exitCode, signal, left: [] });
      });
    });
    const launched: LaunchedProcess = {
      pid,
      stdin,
      stdout: readableSource(stdout),
      stderr: readableSource(stderr),
      exited,
      signal: async (name) => {
        if (process.platform === 'win32' && name !== 'SIGINT') await taskkill(pid);
        else child.kill(name);
      },
      end: async (): Promise<readonly LeftProcess[]> => {
        if (child.exitCode !== null || child.signalCode !== null) return [];
        if (process.platform === 'win32') await taskkill(pid);
        else child.kill('SIGKILL');
        await exited;
        return [];
      },
      members: async () => [],
    };
    this.#running.add(launched);
    return launched;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#running].map((launched) => launched.end()));
  }
}

function started(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    child.once('error', (error: NodeJS.ErrnoException) => {
      reject(launchError(error.code ?? 'EIO', error.message));
    });
  });
}

function taskkill(pid: number): Promise<void> {
  return new Promise((resolve) => {
    const killer = spawn('taskkill', taskkillArgs(pid), { stdio: 'ignore', windowsHide: true });
    killer.once('error', () => resolve());
    killer.once('exit', () => resolve());
  });
}
