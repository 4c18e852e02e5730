import type { ProcessHandle } from '../workspace/processes.ts';
import { watchedProcess } from '../workspace/watched-process.ts';
import type { ViewGuard } from './view-guard.ts';

/**
 * A process that a call has started. It may outlive the call, as a job does, and never a call that was stopped, nor the
 * session.
 */
export async function guardedProcess(
  handle: ProcessHandle,
  { processes, assertAlive }: Pick<ViewGuard, 'processes' | 'assertAlive'>,
): Promise<ProcessHandle> {
  const forget = await processes.keep(() => handle.close(), assertAlive);
  return watchedProcess(handle, forget);
}
