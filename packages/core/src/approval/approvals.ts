import { ToolError } from '../errors/tool-error.ts';
import type { JsonObject } from '../json/json.ts';
import type { StateStore } from '../state/state-store.ts';
import { hostCodeLimitMs, within } from '../kernel/within.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { ApprovalAnswer, ApprovalDigests, PendingApproval } from './approval.ts';

/** Milliseconds that a pending approval stays answerable. */
export const approvalLifetimeMs = 15 * 60_000;

/** A call that is waiting inside the kernel for its answer. */
export interface LiveWait {
  /** Gives the call its answer; false when it has one already. */
  readonly settle: (answer: ApprovalAnswer) => boolean;
  readonly result: Promise<ToolResult>;
}

/** An approval that was taken for its one use. */
export interface TakenApproval {
  readonly approval: PendingApproval;
  /** Those of its call. After a restart only what the approval shows is known of them. */
  readonly arguments: JsonObject;
}

/**
 * The approvals of a session that are pending. Each is taken once; where the host keeps state they are also
 * there, and taking one from there first makes it gone for every other session and process. Errors of the state are
 * `confirmation_rejected` (`approval_state_failed`): what could perhaps be used twice is not used at all.
 */
export class Approvals {
  readonly #pending = new Map<string, PendingApproval>();
  /** Ids that the state holds. */
  readonly #stored = new Set<string>();
  /** What the calls gave, by approval, as long as this process lives: an approval shows it with secrets hidden. */
  readonly #given = new Map<string, JsonObject>();
  readonly #live = new Map<string, LiveWait>();
  readonly #state: StateStore | undefined;
  readonly #clock: () => number;
  /** Tells this session's claims from those of others. */
  readonly #claimant = globalThis.crypto.randomUUID();

  constructor(state: StateStore | undefined, clock: () => number) {
    this.#state = state;
    this.#clock = clock;
  }

  /** How many of its calls' arguments it holds; for tests of leaks. */
  get size(): number {
    return this.#given.size;
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
  async add(approval: PendingApproval, given: JsonObject): Promise<void> {
    await this.#dropExpired();
    this.#pending.set(approval.id, approval);
    this.#given.set(approval.id, given);
    const state = this.#state;
    if (state === undefined) return;
    const bytes = new TextEncoder().encode(JSON.stringify(approval));
    try {
      await bounded(() => state.write(toKey(approval.id), bytes));
      this.#stored.add(approval.id);
    } catch {
      // It can still be answered while this process lives.
    }
  }

  /** Puts back the approvals of a snapshot: those that the state, where there is one, surely still has. */
  async restore(approvals: readonly PendingApproval[]): Promise<void> {
    const state = this.#state;
    for (const approval of approvals) {
      if (state !== undefined) {
        if (!(await has(state, approval.id))) continue;
        this.#stored.add(approval.id);
      }
      this.#pending.set(approval.id, approval);
    }
  }

  /** Lets `answer` reach a call that waits in the kernel. */
  wait(id: string, live: LiveWait): void {
    this.#live.set(id, live);
  }

  live(id: string): LiveWait | undefined {
    return this.#live.get(id);
  }

  /** The call has its answer, or wants none any more. */
  endWait(id: string): void {
    this.#live.delete(id);
  }

  /**
   * Takes an approval for its one use. Errors: `confirmation_rejected` with `approval_unknown` (never given, or
   * used) or `approval_expired`.
   */
  async take(id: string): Promise<TakenApproval> {
    const approval = this.#pending.get(id);
    const given = this.#given.get(id);
    // Nobody else in this session takes it meanwhile.
    this.#pending.delete(id);
    if (approval === undefined) throw unknownApproval();
    const live = this.#live.get(id);
    try {
      if (!(await this.#claim(id))) {
        this.#forget(id);
        throw unknownApproval();
      }
      await this.drop(id);
    } catch (error) {
      // What could not be taken for certain was not used: it may be answered again.
      if (ToolError.isInstance(error) && error.reason === 'approval_state_failed') {
        this.#pending.set(id, approval);
        if (given !== undefined) this.#given.set(id, given);
      }
      throw error;
    }
    // A call that still waits for this answer waits in vain.
    live?.settle({ decision: 'reject', reason: 'the approval was used for another call' });
    this.assertFresh(approval);
    return { approval, arguments: given ?? approval.call.arguments };
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

  /**
   * Whether a stored approval is this session's to use. Bytes that are appended have one order for all processes, and
   * who stands first has the approval, if the state still has it: its user deletes first the approval, then the claims.
   */
  async #claim(id: string): Promise<boolean> {
    const state = this.#state;
    if (state === undefined || !this.#stored.has(id)) return true;
    const claim = new TextEncoder().encode(`${this.#claimant}\n`);
    const key = toClaimKey(id);
    return stateful(async () => {
      await state.append(key, claim);
      const claims = new TextDecoder().decode(await state.read(key));
      if (!claims.startsWith(this.#claimant)) return false;
      return (await state.read(toKey(id))) !== undefined;
    });
  }

  /** The session has closed: nobody makes its calls any more. What is pending stays, for its snapshot. */
  close(): void {
    this.#given.clear();
  }

  /** Withdraws an approval. Errors: `approval_state_failed`, because one that stays there could be used twice. */
  async drop(id: string): Promise<void> {
    this.#forget(id);
    const state = this.#state;
    if (state === undefined) return;
    await stateful(async () => {
      await state.delete(toKey(id));
      if (this.#stored.has(id)) await state.delete(toClaimKey(id));
    });
    this.#stored.delete(id);
  }

  /** Lets go of all that this process holds of an approval, what its call gave above all. */
  #forget(id: string): void {
    this.#live.delete(id);
    this.#pending.delete(id);
    this.#given.delete(id);
  }

  async #dropExpired(): Promise<void> {
    for (const { id, expires_at: expiresAt } of this.#pending.values()) {
      if (expiresAt > this.#clock()) continue;
      try {
        await this.drop(id);
      } catch {
        // Nobody can use it any more, wherever it still stands.
      }
    }
  }
}

function bounded<T>(work: () => Promise<T>): Promise<T> {
  return within(work, hostCodeLimitMs);
}

/** What the state answers in time. Errors: `confirmation_rejected` (`approval_state_failed`). */
async function stateful<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await bounded(work);
  } catch (error) {
    throw new ToolError(
      'confirmation_rejected',
      'Whether this approval was used cannot be told now, so it was not; answer it again later.',
      { reason: 'approval_state_failed', retryable: true, cause: error },
    );
  }
}

async function has(state: StateStore, id: string): Promise<boolean> {
  try {
    return (await bounded(() => state.read(toKey(id)))) !== undefined;
  } catch {
    // What cannot be read may have been used.
    return false;
  }
}

/** The typed refusal of an approval that cannot be used, or not any more. */
export function unknownApproval(): ToolError {
  return new ToolError(
    'confirmation_rejected',
    'This approval is not pending: it was used, withdrawn or never given; make the call again.',
    { reason: 'approval_unknown' },
  );
}

function toKey(id: string): string {
  return `approvals/${toSegment(id)}`;
}

function toClaimKey(id: string): string {
  return `approval-claims/${toSegment(id)}`;
}

function toSegment(id: string): string {
  return id.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-');
}
