import { ToolError } from '@toolwright/core';

/** The signal of one exchange, with the end it must come to. */
export interface Deadline {
  /** Aborts with the typed error to throw: `cancelled` or `timeout`. */
  readonly signal: AbortSignal;
  /** Ends the exchange from within; later reasons do not count. */
  abort(error: ToolError): void;
  /** Lets go of timer and listener; idempotent. */
  release(): void;
}

/** Combines a caller's signal and a time limit into one signal whose reason is the error to throw. */
export function startDeadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const onAbort = (): void => {
    controller.abort(
      new ToolError('cancelled', 'The request was cancelled.', {
        fields: { op: 'http' },
        cause: caller?.reason,
      }),
    );
  };
  const timer = setTimeout(() => {
    controller.abort(
      new ToolError('timeout', `The request took longer than ${String(timeoutMs)} ms.`, {
        fields: { op: 'http', duration_ms: timeoutMs },
      }),
    );
  }, timeoutMs);
  caller?.addEventListener('abort', onAbort, { once: true });
  if (caller?.aborted === true) {
    onAbort();
  }
  return {
    signal: controller.signal,
    abort: (error) => {
      controller.abort(error);
    },
    release: () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', onAbort);
    },
  };
}
