import type { Writable } from 'node:stream';

/** Writes a text to a stream and tells when the stream has taken it. */
export type WriteText = (text: string, done: () => void) => void;

/** An output that is the protocol's alone. */
export interface ClaimedOutput {
  readonly write: WriteText;
  /** Gives standard output back to everybody. */
  readonly release: () => void;
}

/**
 * Keeps standard output for the protocol: what anything else in the process writes there (`console.log` above all)
 * goes to standard error from now on. Other streams are left as they are.
 */
export function claimStdout(output: Writable): ClaimedOutput {
  const { stdout, stderr } = process;
  if (output !== stdout) {
    return { write: (text, done) => void output.write(text, () => done()), release: () => {} };
  }
  const { write } = stdout;
  const own = write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return {
    write: (text, done) => void own(text, () => done()),
    release: () => {
      stdout.write = write;
    },
  };
}
