import type { KernelSession } from './kernel-session.ts';
import { everything } from './lock-target.ts';
import { onAbort } from './on-abort.ts';

/** What shares one admission. */
export interface SharedAdmission<T> {
  /** The tool whose lane is taken as a whole. */
  readonly tool: string;
  readonly signal: AbortSignal | undefined;
  /** Makes the calls; each says `sharesAdmission`. */
  readonly run: () => Promise<T>;
}

/**
 * Holds the lane of a tool and the lock of the whole workspace around calls that may run side by side, so that they run
 * beside each other and beside nothing else. Rejects with the signal's reason when it is aborted before they begin.
 */
export async function shareAdmission<T>(
  session: KernelSession,
  { tool, signal, run }: SharedAdmission<T>,
): Promise<T> {
  const ending = new AbortController();
  const sources = signal === undefined ? [session.signal] : [session.signal, signal];
  const stops = sources.map((source) => onAbort(source, () => ending.abort(source.reason)));
  const held: (() => void)[] = [];
  try {
    held.push(await session.lanes.enter(tool, 1, ending.signal));
    const lease = await session.locks.acquire({ parent: undefined }, [everything], ending.signal);
    held.push(() => lease.release());
    return await run();
  } finally {
    for (const release of held.reverse()) release();
    for (const stop of stops) stop();
  }
}
