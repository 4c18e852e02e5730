import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ToolError } from '@toolwright/core';
import { codeOf } from '../files/local-paths.ts';
import { isRunning } from './staging-name.ts';

/** Milliseconds between two looks at another process's lock. */
const pollMs = 10;

/** Milliseconds after which a lock that still names nobody is one whose maker was killed before it could write. */
const namelessMs = 1_000;

/** Milliseconds after which waiting for another process ends in a conflict. */
const limitMs = 10_000;

const queues = new Map<string, Promise<unknown>>();

/**
 * Runs promotions of one directory one after the other: within this process always, across processes where a
 * state directory is given. Errors: `version_conflict` (`locked`) when another process holds on.
 */
export async function withPromotionLock<T>(
  lock: { readonly root: string; readonly stateDir: string | undefined },
  work: () => Promise<T>,
): Promise<T> {
  const previous = queues.get(lock.root);
  const turn = (async () => {
    await previous?.catch(() => {});
    if (lock.stateDir === undefined) return work();
    const release = await lockFile(join(lock.stateDir, 'write.lock'), lock.stateDir);
    try {
      return await work();
    } finally {
      release();
    }
  })();
  queues.set(lock.root, turn);
  try {
    return await turn;
  } finally {
    if (queues.get(lock.root) === turn) queues.delete(lock.root);
  }
}

async function lockFile(path: string, folder: string): Promise<() => void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const until = performance.now() + limitMs;
  for (;;) {
    try {
      const descriptor = openSync(path, 'wx', 0o600);
      const own = nameOf(process.pid);
      writeSync(descriptor, own);
      closeSync(descriptor);
      // A maker that slept before it wrote may have been taken for dead.
      if (contentOf(path) === own) return () => unlinkSync(path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    if (isAbandoned(path)) takeAway(path);
    else if (performance.now() > until) {
      throw new ToolError(
        'version_conflict',
        'Another process is writing to this workspace and does not end; try again when it has.',
        { reason: 'locked', retryable: true },
      );
    } else await delay(pollMs);
  }
}

/** A process, with the time at which it started: numbers of processes come again. */
function nameOf(pid: number): string {
  return `${pid} ${startOf(pid)}`;
}

/** When a process started, in clock ticks since boot (field 22 of proc(5)); empty where the system does not tell. */
function startOf(pid: number): string {
  // Counted from behind the command's name, which may hold anything.
  const stat = contentOf(`/proc/${pid}/stat`) ?? '';
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

/** Whether the process that made a lock is gone. */
function isAbandoned(path: string): boolean {
  const [pid, start] = contentOf(path)?.split(' ') ?? [];
  if (pid === undefined) return false;
  if (!/^[1-9]\d*$/.test(pid)) return ageMs(path) > namelessMs;
  if (!isRunning(Number(pid))) return true;
  const startNow = startOf(Number(pid));
  return startNow !== '' && startNow !== start;
}

function ageMs(path: string): number {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
}

/** Removes an abandoned lock, and puts it back when a new owner was faster than this look. */
function takeAway(path: string): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (!isAbandoned(aside)) linkSync(aside, path);
    unlinkSync(aside);
  } catch {
    // Another waiter was faster.
  }
}
