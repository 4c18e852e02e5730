import { readdirSync, readFileSync } from 'node:fs';
import type { ProcessExit, ProcessHandle } from '@toolwright/core';

/** A finished command with its two streams as text. */
export interface FinishedCommand extends ProcessExit {
  readonly stdout: string;
  readonly stderr: string;
}

/** Reads a command to its end. */
export async function finish(handle: ProcessHandle): Promise<FinishedCommand> {
  const out: Uint8Array[] = [];
  const err: Uint8Array[] = [];
  for await (const { stream, bytes } of handle.output)
    (stream === 'stdout' ? out : err).push(new Uint8Array(bytes));
  const exit = await handle.exit;
  return { ...exit, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
}

/** Whether a process with this pid is running (a zombie is not). */
export async function isRunning(pid: number): Promise<boolean> {
  const { readFile } = await import('node:fs/promises');
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  return stat !== null && !/\) [ZX] /.test(stat);
}

/** Waits until a condition holds; rejects after 10 s. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('The condition did not come true within 10 s.');
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}

/** The shells that wait among the children of a process. */
export function waitingShells(parent: number): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      const [, ppid] = readFileOf(pid, 'stat').split(') ')[1]?.split(' ') ?? [];
      return Number(ppid) === parent && /^\/(usr\/)?bin\/dash\0$/.test(readFileOf(pid, 'cmdline'));
    });
}

function readFileOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return ''; // gone meanwhile
  }
}
