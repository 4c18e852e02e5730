import type { ProcessHandle } from './processes.ts';

/** A process that tells when it is closed through this handle, before it is. */
export function watchedProcess(handle: ProcessHandle, onClose: () => void): ProcessHandle {
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
      onClose();
      return handle.close();
    },
  };
}
