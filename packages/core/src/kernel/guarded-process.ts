import type { ProcessHandle } from '../workspace/processes.ts';
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
  return {
    pid: handle.pid,
    sandboxed: handle.sandboxed,
    output: handle.output,
    exit: handle.exit,
    writeInput: (bytes) => handle.writeInput(bytes),
    endInput: () => handle.endInput(),
    changedPaths: () => handle.changedPaths(),
    members: () => handle.members(),
    kill: (signal) => handle.kill(signal),
    close: () => {
      forget();
      return handle.close();
    },
  };
}
