import { execFile } from 'node:child_process';

/** Milliseconds that a server has to end after its stdin was closed. */
const GRACE_MS = 300;
/** Milliseconds that it then has to end after SIGTERM. */
const TERM_MS = 500;

/** Groups that would outlive this process if it left by `process.exit`. */
const live = new Set<number>();

/** Remembers a group until it has ended, so that leaving this process takes it along. */
export function keepTrackOf(pid: number): void {
  if (live.size === 0) process.once('exit', killAll);
  live.add(pid);
}

/** Ends what is left of a group once its first process has: grandchildren, at once. */
export function reapGroup(pid: number): void {
  signalGroup(pid, 'SIGKILL');
  live.delete(pid);
  if (live.size === 0) process.off('exit', killAll);
}

/** Ends a group whose stdin was closed: patience first, then SIGTERM, then SIGKILL. */
export async function endGroup(pid: number, exited: Promise<unknown>): Promise<void> {
  if (await within(exited, GRACE_MS)) return;
  signalGroup(pid, 'SIGTERM');
  if (await within(exited, TERM_MS)) return;
  signalGroup(pid, 'SIGKILL');
  await exited;
}

function killAll(): void {
  for (const pid of live) signalGroup(pid, 'SIGKILL');
}

function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (process.platform === 'win32') {
    execFile('taskkill', ['/pid', String(pid), '/T', '/F'], () => {});
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone already.
  }
}

async function within(done: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await Promise.race([
      done.then(() => true),
      new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(false), limitMs);
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
}
