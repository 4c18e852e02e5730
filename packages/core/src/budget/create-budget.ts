import { getOwn, isRecord } from '../json/json.ts';
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
 * Errors: `TypeError` for a limit that is no number from 0 up, and for options that there are not.
 */
export function createBudget(options: BudgetOptions): Budget {
  assertOptions(options);
  const sessions = new Map<string, Map<string, Account>>();
  const closed = new Set<string>();
  const softAt = options.softAt ?? 0.8;
  const chargedBy = ({ sessionId, tool }: BudgetRequest) => {
    const accounts = entryOf(sessions, sessionId, () => new Map<string, Account>());
    return [
      { limits: options, account: entryOf(accounts, '', newAccount), label: '' },
      {
        limits: getOwn(options.perTool ?? {}, tool) ?? {},
        account: entryOf(accounts, tool, newAccount),
        label: `${tool} `,
      },
    ];
  };
  const check = (request: BudgetRequest): BudgetDecision => {
    closed.delete(request.sessionId);
    let soft: BudgetDecision | undefined;
    for (const { limits, account, label } of chargedBy(request)) {
      for (const resource of resources) {
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

/** Budgets also come from configuration files: a limit that is none would never be reached. */
function assertOptions(options: BudgetOptions): void {
  const { perTool = {}, softAt, ...limits } = options;
  assertLimits('', limits);
  if (!isRecord(perTool)) throw new TypeError('perTool of a budget holds limits by tool.');
  for (const [tool, own] of Object.entries(perTool)) assertLimits(` for ${tool}`, own);
  if (softAt !== undefined && !(typeof softAt === 'number' && softAt >= 0 && softAt <= 1)) {
    throw new TypeError('softAt of a budget is a share from 0 to 1.');
  }
}

function assertLimits(of: string, limits: unknown): void {
  if (!isRecord(limits)) throw new TypeError(`The limits of a budget${of} are an object.`);
  for (const [name, limit] of Object.entries(limits)) {
    if (!isResource(name)) {
      throw new TypeError(
        `A budget${of} has no limit ${JSON.stringify(name)} (${resources.join(', ')}).`,
      );
    }
    if (limit !== undefined && !(typeof limit === 'number' && limit >= 0)) {
      throw new TypeError(`The limit of ${name}${of} is a number from 0 up.`);
    }
  }
}

function isResource(name: string): boolean {
  return resources.some((resource) => resource === name);
}

const resources = ['calls', 'bytes', 'timeMs'] as const;
