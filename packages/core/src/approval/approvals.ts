import { ToolError } from '../errors/tool-error.ts';
import type { StateStore } from '../state/state-store.ts';
import { hostCodeLimitMs, within } from '../kernel/within.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { ApprovalAnswer, ApprovalDigests, PendingApproval } from './approval.ts';

/** Milliseconds that a pending approval stays answerable. */
export const approvalLifetimeMs = 15 * 60_000;

/** A call that is waiting inside the kernel for its answer. */
export interface LiveWait {
  readonly settle: (answer: ApprovalAnswer) => void;
  readonly result: Promise<ToolResult>;
}

const neverAborted = new AbortController().signal;

/**
 * The approvals of a session that are pending. Each is taken once; where the host keeps state they are also
 * there, and taking one from there first makes it gone for every other process.
 */
export class Approvals {
  readonly #pending = new Map<string, PendingApproval>();
  /** Ids that the state holds. */
  readonly #stored = new Set<string>();
  readonly #live = new Map<string, LiveWait>();
  readonly #state: StateStore | undefined;
  readonly #clock: () => number;

  constructor(state: StateStore | undefined, clock: () => number) {
    this.#state = state;
    this.#clock = clock;
  }

  /** Those that can still be answered, in the order in which they arose. */
  list(): readonly PendingApproval[] {
    return [...this.#pending.values()].filter((approval) => approval.expires_at > this.#clock());
  }

  /** The pending approval of exactly this call, if it has been asked before. */
  find(callId: string, digests: ApprovalDigests): PendingApproval | undefined {
    return this.list().find(
      (pending) =>
        pending.call.id === callId &&
        pending.digests.definition === digests.definition &&
        pending.digests.arguments === digests.arguments,
    );
  }

  expiry(): number {
    return this.#clock() + approvalLifetimeMs;
  }

  /** Keeps an approval; where it cannot be written to the state it lives in this process alone. */
  async add(approval: PendingApproval): Promise<void> {
    for (const old of this.#pending.values()) {
      if (old.expires_at <= this.#clock()) await this.drop(old.id);
    }
    this.#pending.set(approval.id, approval);
    const state = this.#state;
    if (state === undefined) return;
    const bytes = new TextEncoder().encode(JSON.stringify(approval));
    try {
      await within(() => state.write(toKey(approval.id), bytes), hostCodeLimitMs, neverAborted);
      this.#stored.add(approval.id);
    } catch {
      // It can still be answered while this process lives.
    }
  }

  /** Puts back the approvals of a snapshot: those that the state, where there is one, still has. */
  async restore(approvals: readonly PendingApproval[]): Promise<void> {
    for (const approval of approvals) {
      const kept =
        this.#state === undefined || (await this.#state.read(toKey(approval.id))) !== undefined;
      if (!kept) continue;
      this.#pending.set(approval.id, approval);
      if (this.#state !== undefined) this.#stored.add(approval.id);
    }
  }

  /** Lets `answer` reach a call that waits in the kernel. */
  wait(id: string, live: LiveWait): void {
    this.#live.set(id, live);
  }

  live(id: string): LiveWait | undefined {
    return this.#live.get(id);
  }

  /**
   * Takes an approval for its one use. Errors: `confirmation_rejected` with `approval_unknown` (never given, or
   * used) or `approval_expired`.
   */
  async take(id: string): Promise<PendingApproval> {
    const approval = this.#pending.get(id);
    this.#pending.delete(id);
    const isTaken = approval === undefined || (await this.#isTakenElsewhere(id));
    await this.drop(id);
    if (isTaken) {
      throw new ToolError(
        'confirmation_rejected',
        'This approval is not pending: it was used, withdrawn or never given; make the call again.',
        { reason: 'approval_unknown' },
      );
    }
    this.assertFresh(approval);
    return approval;
  }

  /** Throws `confirmation_rejected` (`approval_expired`) for an approval whose time is over. */
  assertFresh(approval: PendingApproval): void {
    if (approval.expires_at <= this.#clock()) {
      throw new ToolError(
        'confirmation_rejected',
        'This approval has expired; make the call again and answer within 15 minutes.',
        { reason: 'approval_expired' },
      );
    }
  }

  /** Whether the state had an approval and has it no more: another process has used it. */
  async #isTakenElsewhere(id: string): Promise<boolean> {
    const state = this.#state;
    if (state === undefined || !this.#stored.has(id)) return false;
    const kept = await within(() => state.read(toKey(id)), hostCodeLimitMs, neverAborted);
    return kept === undefined;
  }

  /** Withdraws an approval. Errors: what the state throws, because one that stays there could be used twice. */
  async drop(id: string): Promise<void> {
    this.#live.delete(id);
    this.#pending.delete(id);
    this.#stored.delete(id);
    const state = this.#state;
    if (state === undefined) return;
    await within(() => state.delete(toKey(id)), hostCodeLimitMs, neverAborted);
  }
}

function toKey(id: string): string {
  return `approvals/${id.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-')}`;
}
