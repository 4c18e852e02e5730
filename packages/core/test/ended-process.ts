import type { ProcessHandle } from '../src/index.ts';

/** A process that ended at once and said nothing. */
export function endedProcess(): ProcessHandle {
  return {
    pid: 1,
    sandboxed: true,
    output: (async function* () {})(),
    exit: Promise.resolve({ exitCode: 0, signal: null, background: [] }),
    writeInput: async () => {},
    endInput: async () => {},
    changedPaths: async () => null,
    members: async () => [],
    kill: async () => {},
    close: async () => [],
  };
}
