import { ToolError } from '../errors/tool-error.ts';
import { LockIndex, type Indexed } from './lock-index.ts';
import { overlaps, type LockTarget } from './lock-target.ts';
import { onStop, type StopSignal } from './stop.ts';

/** Whoever holds locks; a child may pass through its ancestors' locks. */
export interface LockOwner {
  readonly parent: LockOwner | undefined;
  /** How many requests it holds; the table's own. */
  locksHeld: number;
}

interface Request extends Indexed<Request> {
  readonly owner: LockOwner;
  /** Grows with each request: who came first. */
  readonly order: number;
  readonly writes: boolean;
  /** Present while the request waits. */
  grant: (() => void) | undefined;
}

/** What a call holds; released once. */
export interface LockLease {
  release(): void;
}

/**
 * The locks of one workspace: many readers or one writer a target, first come first served, all targets of
 * a request at once. A request that would wait for a call which (directly or not) waits for the requester
 * is refused instead. What a request costs depends on how many touch the same, not on how many there are.
 */
export class LockTable {
  /** Requests that hold or wait. */
  readonly #requests = new LockIndex<Request>();
  readonly #waiting = new Set<Request>();
  #writers = 0;
  #order = 0;

  /** Requests that hold or wait; for tests of leaks. */
  get size(): number {
    return this.#requests.size;
  }

  /**
   * Takes all targets, at once or when they are free. Errors: the stop's reason, `version_conflict` (`deadlock`).
   */
  acquire(
    owner: LockOwner,
    targets: readonly LockTarget[],
    stop: StopSignal,
  ): LockLease | Promise<LockLease> {
    if (targets.length === 0) return { release: () => {} };
    stop.throwIfAborted();
    this.#order += 1;
    const request: Request = {
      owner,
      targets,
      order: this.#order,
      writes: targets.some(({ mode }) => mode === 'write'),
      grant: undefined,
      place: undefined,
    };
    if (this.#canGrant(request)) {
      this.#enter(request);
      return this.#hold(request);
    }
    if (this.#wouldDeadlock(request)) {
      throw new ToolError(
        'version_conflict',
        'Another call waits for a file that this one holds; let that call finish and repeat this one.',
        { reason: 'deadlock', retryable: true },
      );
    }
    return new Promise((resolve, reject) => {
      const abandon = (): void => {
        this.#waiting.delete(request);
        this.#leave(request);
        reject(stop.reason);
      };
      request.grant = () => {
        unfollow();
        request.grant = undefined;
        this.#waiting.delete(request);
        resolve(this.#hold(request));
      };
      this.#enter(request);
      this.#waiting.add(request);
      const unfollow = onStop(stop, abandon);
    });
  }

  #hold(request: Request): LockLease {
    request.owner.locksHeld += 1;
    return new Lease(this, request);
  }

  /** Gives back what a lease holds; for leases alone. */
  release(request: Request): void {
    request.owner.locksHeld -= 1;
    this.#leave(request);
  }

  #enter(request: Request): void {
    this.#requests.add(request);
    if (request.writes) this.#writers += 1;
  }

  /** Takes a request out, and grants those that it stood against and nothing else does. */
  #leave(request: Request): void {
    this.#requests.delete(request);
    if (request.writes) this.#writers -= 1;
    if (this.#waiting.size === 0) return;
    const freed = [...this.#requests.meeting(request)]
      .filter((other) => other.grant !== undefined)
      .sort((one, other) => one.order - other.order);
    for (const waiting of freed) if (this.#canGrant(waiting)) waiting.grant?.();
  }

  /** Whether nothing held, and nothing that came before, stands against a request. */
  #canGrant(request: Request): boolean {
    if (this.#writers === 0 && !request.writes) return true;
    for (const other of this.#requests.meeting(request)) {
      if (other !== request && standsBefore(other, request) && conflict(request, other)) {
        return false;
      }
    }
    return true;
  }

  /** Whether what a request would wait for waits, however indirectly, for its owner or a call above that. */
  #wouldDeadlock(request: Request): boolean {
    if (!this.#holdsAbove(request.owner)) return false;
    const seen = new Set<Request>();
    const reaches = (from: Request): boolean => {
      for (const blocker of this.#requests.meeting(from)) {
        if (blocker === from || seen.has(blocker)) continue;
        if (!standsBefore(blocker, from) || !conflict(from, blocker)) continue;
        seen.add(blocker);
        if (isSameOrAncestor(blocker.owner, request.owner)) return true;
        // A call ends only when the calls below it have.
        for (const wait of this.#waiting) {
          if (isSameOrAncestor(blocker.owner, wait.owner) && reaches(wait)) return true;
        }
      }
      return false;
    };
    return reaches(request);
  }

  /** Whether an owner or a call above it holds anything; who holds nothing is waited for by nobody. */
  #holdsAbove(owner: LockOwner): boolean {
    for (let above: LockOwner | undefined = owner; above !== undefined; above = above.parent) {
      if (above.locksHeld > 0) return true;
    }
    return false;
  }
}

/** A class, since a function that keeps these costs a call of every tool more. */
class Lease implements LockLease {
  readonly #table: LockTable;
  #request: Request | undefined;

  constructor(table: LockTable, request: Request) {
    this.#table = table;
    this.#request = request;
  }

  release(): void {
    const request = this.#request;
    this.#request = undefined;
    if (request !== undefined) this.#table.release(request);
  }
}

/** Whether a request holds already, or waits and came first. */
function standsBefore(other: Request, request: Request): boolean {
  return other.grant === undefined || other.order < request.order;
}

function conflict(a: Request, b: Request): boolean {
  if (isSameOrAncestor(b.owner, a.owner)) return false;
  return a.targets.some((x) =>
    b.targets.some((y) => (x.mode === 'write' || y.mode === 'write') && overlaps(x, y)),
  );
}

function isSameOrAncestor(candidate: LockOwner, of: LockOwner | undefined): boolean {
  for (let owner = of; owner !== undefined; owner = owner.parent) {
    if (owner === candidate) return true;
  }
  return false;
}
