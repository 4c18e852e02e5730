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
 * moment it is reserved; its bytes and time when it has ended, so calls in flight can pass those limits together.
 */
export function createBudget(options: BudgetOptions): Budget {
  const accounts = new Map<string, Account>();
  const softAt = options.softAt ?? 0.8;
  const accountOf = (key: string): Account => {
    let account = accounts.get(key);
    if (account === undefined) {
      account = { calls: 0, bytes: 0, timeMs: 0 };
      accounts.set(key, account);
    }
    return account;
  };
  const chargedBy = ({ sessionId, tool }: BudgetRequest) => [
    { limits: options, account: accountOf(`${sessionId}\n`), label: '' },
    {
      limits: options.perTool?.[tool] ?? {},
      account: accountOf(`${sessionId}\n${tool}`),
      label: `${tool} `,
    },
  ];
  const check = (request: BudgetRequest): BudgetDecision => {
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
      for (const { account } of chargedBy(request)) {
        account.bytes += usage.outputBytes;
        account.timeMs += usage.durationMs;
      }
    },
  };
}
