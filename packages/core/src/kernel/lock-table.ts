import { ToolError } from '../errors/tool-error.ts';
import { overlaps, type LockTarget } from './lock-target.ts';
import { onStop, type StopSignal } from './stop.ts';

/** Whoever holds locks; a child may pass through its ancestors' locks. */
export interface LockOwner {
  readonly parent: LockOwner | undefined;
}

interface Request {
  readonly owner: LockOwner;
  readonly targets: readonly LockTarget[];
  grant: (() => void) | undefined;
}

/** What a call holds; released once. */
export interface LockLease {
  release(): void;
}

/**
 * The locks of one workspace: many readers or one writer a target, first come first served, all targets of
 * a request at once. A request that would wait for a call which (directly or not) waits for the requester
 * is refused instead.
 */
export class LockTable {
  readonly #held = new Set<Request>();
  readonly #waiting: Request[] = [];
  #writers = 0;

  /** Requests that hold or wait; for tests of leaks. */
  get size(): number {
    return this.#held.size + this.#waiting.length;
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
    const request: Request = { owner, targets, grant: undefined };
    if (this.#canGrant(request, this.#waiting.length)) return this.#hold(request);
    if (this.#wouldDeadlock(request)) {
      throw new ToolError(
        'version_conflict',
        'Another call waits for a file that this one holds; let that call finish and repeat this one.',
        { reason: 'deadlock', retryable: true },
      );
    }
    this.#count(request, 1);
    this.#waiting.push(request);
    return new Promise((resolve, reject) => {
      const abandon = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(request), 1);
        this.#count(request, -1);
        this.#grantWaiting();
        reject(stop.reason);
      };
      request.grant = () => {
        unfollow();
        this.#count(request, -1);
        resolve(this.#hold(request));
      };
      const unfollow = onStop(stop, abandon);
    });
  }

  #hold(request: Request): LockLease {
    this.#held.add(request);
    this.#count(request, 1);
    return {
      release: () => {
        if (!this.#held.delete(request)) return;
        this.#count(request, -1);
        this.#grantWaiting();
      },
    };
  }

  #grantWaiting(): void {
    for (let i = 0; i < this.#waiting.length;) {
      const request = this.#waiting[i];
      if (request !== undefined && this.#canGrant(request, i)) {
        this.#waiting.splice(i, 1);
        request.grant?.();
      } else i += 1;
    }
  }

  /** Whether nothing held, and nothing that came before, stands against a request. */
  #canGrant(request: Request, position: number): boolean {
    if (this.#writers === 0 && request.targets.every((target) => target.mode === 'read'))
      return true;
    for (const other of this.#held) if (conflict(request, other)) return false;
    for (let i = 0; i < position; i += 1) {
      const earlier = this.#waiting[i];
      if (earlier !== undefined && earlier !== request && conflict(request, earlier)) return false;
    }
    return true;
  }

  #wouldDeadlock(request: Request): boolean {
    const seen = new Set<Request>();
    const reaches = (from: Request): boolean => {
      for (const blocker of [...this.#held, ...this.#waiting]) {
        if (blocker === from || seen.has(blocker) || !conflict(from, blocker)) continue;
        seen.add(blocker);
        if (isSameOrAncestor(request.owner, blocker.owner)) return true;
        const wait = this.#waiting.find((other) => isSameOrAncestor(blocker.owner, other.owner));
        if (wait !== undefined && reaches(wait)) return true;
      }
      return false;
    };
    return reaches(request);
  }

  #count(request: Request, step: 1 | -1): void {
    if (request.targets.some((target) => target.mode === 'write')) this.#writers += step;
  }
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
