import type { KernelSession } from './kernel-session.ts';
import { everything } from './lock-target.ts';
import { onStop, Stop } from './stop.ts';

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
  const ending = new Stop();
  const sources = signal === undefined ? [session.stop] : [session.stop, signal];
  const unfollow = sources.map((source) => onStop(source, () => ending.abort(source.reason)));
  const held: { release(): void }[] = [];
  try {
    held.push(await session.lanes.enter(tool, 1, ending));
    const owner = { parent: undefined, locksHeld: 0 };
    held.push(await session.locks.acquire(owner, [everything], ending));
    return await run();
  } finally {
    for (const one of held.reverse()) one.release();
    for (const end of unfollow) end();
  }
}
