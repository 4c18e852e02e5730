import { ToolError, type BackgroundProcess } from '@toolwright/core';
import { backgroundMetadata, changesOf, exitMetadata } from './command-metadata.ts';
import { describeProcesses, renderOutput } from './render-output.ts';
import { endsWithin, type RunningCommand } from './running-command.ts';

/** Milliseconds that the kernel leaves beyond the command's own time, for ending its tree and rendering what it said. */
export const settlementMs = 15_000;
/** Milliseconds of these for ending the tree of a command that ran too long. */
const timedOutMs = 12_000;
/** The same for a cancelled one: the kernel gives a stopped call 100 ms to tell what it has. */
const cancelledMs = 70;
/** Milliseconds for the rest of the output when the tree has ended. */
const drainMs = 1_000;

/**
 * Ends the whole tree of a command and tells what it said until then. A cancelled call does not wait for a tree that
 * takes its time to end: it goes on being ended, and the error says so (`may_still_run`).
 *
 * @returns `timeout` or `cancelled`, with output and metadata
 */
export async function interrupt(
  command: RunningCommand,
  how: {
    readonly ending: 'timeout' | 'cancelled';
    /** What the command was given, for the message. */
    readonly timeoutMs: number;
    readonly maxOutputBytes: number;
  },
): Promise<ToolError> {
  const timedOut = how.ending === 'timeout';
  const deadline = performance.now() + (timedOut ? timedOutMs : cancelledMs);
  const left = (): number => Math.max(deadline - performance.now(), 1);
  const closing = command.handle.close();
  const survivors = await valueWithin(closing, left());
  if (survivors !== undefined) await endsWithin(command.drained, Math.min(drainMs, left()));
  const rendered = await renderOutput(command, how.maxOutputBytes);
  const changed = await valueWithin(changesOf(command), left());
  const said = timedOut ? `timed out after ${how.timeoutMs} ms` : 'was cancelled';
  const advice = timedOut ? ' Give it more time, or run it in the background.' : '';
  return new ToolError(how.ending, `The command ${said}; ${endOf(survivors)}.${advice}`, {
    output: rendered.text,
    metadata: {
      ...exitMetadata(command.exit, rendered, command),
      timed_out: timedOut,
      timeout_ms: how.timeoutMs,
      ...(changed ?? { changed_paths: null }),
      ...backgroundMetadata(survivors ?? [runningItself(command)]),
      job_id: null,
    },
    fields: {
      ...(timedOut ? { op: 'bash', duration_ms: how.timeoutMs } : {}),
      ...(survivors === undefined ? { may_still_run: true } : {}),
    },
  });
}

function endOf(survivors: readonly BackgroundProcess[] | undefined): string {
  if (survivors === undefined) return 'it does not end when asked to and is being killed';
  if (survivors.length === 0) return 'the command and its children were ended';
  return `these could not be ended: ${describeProcesses(survivors)}`;
}

function runningItself({ handle, line }: RunningCommand): BackgroundProcess {
  return { pid: handle.pid, command: line };
}

/** What a promise settles to within a time; undefined when that takes longer. */
async function valueWithin<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  return (await endsWithin(promise, ms)) ? promise : undefined;
}
