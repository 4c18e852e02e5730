/** What a budget is asked about. */
export interface BudgetRequest {
  readonly sessionId: string;
  readonly invocationId: string;
  readonly tool: string;
}

/** What a call used, told when it has ended; every reservation is settled exactly once. */
export interface BudgetUsage {
  readonly outputBytes: number;
  readonly durationMs: number;
}

/** What a budget decides. `soft` lets the call run and emits `budget_threshold_hit`. */
export type BudgetDecision =
  | { readonly decision: 'allow' }
  | {
      readonly decision: 'soft' | 'deny';
      readonly resource: string;
      readonly consumed: number;
      readonly limit: number;
      readonly message?: string;
    };

/**
 * A limit on what a session may use. `check` runs before anyone is asked, `reserve` right before the call
 * runs. Each has 5 s; a budget that throws or hangs denies the call (fails closed).
 */
export interface Budget {
  check(request: BudgetRequest): BudgetDecision | Promise<BudgetDecision>;
  /** As `check`, and counts the call as running. */
  reserve(request: BudgetRequest): BudgetDecision | Promise<BudgetDecision>;
  settle(request: BudgetRequest, usage: BudgetUsage): void | Promise<void>;
  /** The session has closed: what is kept for it can go. It may be resumed under the same id. */
  sessionClosed?(sessionId: string): void | Promise<void>;
}
