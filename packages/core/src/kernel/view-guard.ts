import type { PromotedChange } from '../workspace/writer.ts';
import type { EffectGrants } from './effect-grants.ts';
import type { OpenThings } from './open-things.ts';

/** Told of every promotion, so that it can be undone and reported. */
export interface WriteObserver {
  /** Before bytes change: what the paths hold now must be kept. */
  beforePromote(paths: readonly string[]): Promise<void>;
  promoted(changes: readonly PromotedChange[]): void;
  /** A promotion that has begun; the call does not end before it has. */
  track(promotion: Promise<unknown>): void;
}

/** What a view is bound to. */
export interface ViewGuard {
  readonly grants: EffectGrants;
  /** Throws once the call has ended or was cancelled. */
  readonly assertAlive: () => void;
  readonly signal: AbortSignal;
  readonly writes: WriteObserver;
  /** What ends with the call: readers, transactions, responses. */
  readonly opened: OpenThings;
  /** What ends with the session at the latest, and with the call where that was stopped. */
  readonly processes: OpenThings;
}

/** The signal of the call, and with it the tool's own: a tool may end its work sooner than its call, and no later. */
export function callSignal(own: AbortSignal | undefined, guard: ViewGuard): AbortSignal {
  const { signal } = guard;
  return own === undefined || own === signal ? signal : AbortSignal.any([own, signal]);
}
