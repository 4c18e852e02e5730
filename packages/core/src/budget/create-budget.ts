import type { Budget, BudgetDecision, BudgetRequest } from './budget.ts';

/** Limits of one kind of calls; absent is none. */
export interface BudgetLimits {
  readonly calls?: number;
  /** Bytes of output before projection. */
  readonly bytes?: number;
  /** Milliseconds of running, added up. */
  readonly timeMs?: number;
}

/** Limits in all and by tool. */
export interface BudgetOptions extends BudgetLimits {
  readonly perTool?: Readonly<Record<string, BudgetLimits>>;
  /** The share of a limit (0–1) from which calls still run and listeners are told. Default 0.8. */
  readonly softAt?: number;
}

interface Account {
  calls: number;
  bytes: number;
  timeMs: number;
}

/**
 * A budget by calls, bytes and time, in all and by tool, for each session that uses it. A call counts from the
 * moment it is reserved; its bytes and time when it has ended, so calls in flight can pass those limits together. What a
 * session has used it keeps also when it was closed and is resumed, for the last 1,024 that were closed.
 */
export function createBudget(options: BudgetOptions): Budget {
  const sessions = new Map<string, Map<string, Account>>();
  const closed = new Set<string>();
  const softAt = options.softAt ?? 0.8;
  const chargedBy = ({ sessionId, tool }: BudgetRequest) => {
    const accounts = entryOf(sessions, sessionId, () => new Map<string, Account>());
    return [
      { limits: options, account: entryOf(accounts, '', newAccount), label: '' },
      {
        limits: options.perTool?.[tool] ?? {},
        account: entryOf(accounts, tool, newAccount),
        label: `${tool} `,
      },
    ];
  };
  const check = (request: BudgetRequest): BudgetDecision => {
    closed.delete(request.sessionId);
    let soft: BudgetDecision | undefined;
    for (const { limits, account, label } of chargedBy(request)) {
      for (const resource of ['calls', 'bytes', 'timeMs'] as const) {
        const limit = limits[resource];
        if (limit === undefined) continue;
        const consumed = account[resource];
        const told = { resource: `${label}${resource}`, consumed, limit };
        if (consumed >= limit) return { decision: 'deny', ...told };
        if (consumed >= limit * softAt) soft ??= { decision: 'soft', ...told };
      }
    }
    return soft ?? { decision: 'allow' };
  };
  return {
    check,
    reserve: (request) => {
      const decision = check(request);
      if (decision.decision !== 'deny') {
        for (const { account } of chargedBy(request)) account.calls += 1;
      }
      return decision;
    },
    settle: (request, usage) => {
      // A call may end after its session: that opens nothing again.
      if (!sessions.has(request.sessionId)) return;
      for (const { account } of chargedBy(request)) {
        account.bytes += usage.outputBytes;
        account.timeMs += usage.durationMs;
      }
    },
    sessionClosed: (sessionId) => {
      closed.add(sessionId);
      // A set has its values in the order in which they came.
      for (const oldest of closed) {
        if (closed.size <= maxClosed) break;
        closed.delete(oldest);
        sessions.delete(oldest);
      }
    },
  };
}

/** Closed sessions whose accounts are kept: one that is resumed goes on where it was. */
const maxClosed = 1_024;

function newAccount(): Account {
  return { calls: 0, bytes: 0, timeMs: 0 };
}

function entryOf<T>(map: Map<string, T>, key: string, make: () => T): T {
  let entry = map.get(key);
  if (entry === undefined) {
    entry = make();
    map.set(key, entry);
  }
  return entry;
}
