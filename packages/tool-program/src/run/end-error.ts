import { ToolError } from '@toolwright/core';
import type { ScriptFailure, VmEnd } from '../vm/messages.ts';
import type { ProgramOutcome } from './program-report.ts';

/** A program that did not come to a value. */
export interface FailedEnd {
  readonly outcome: Exclude<ProgramOutcome, 'success'>;
  readonly error: ToolError;
}

/** The limits that messages name. */
export interface EndLimits {
  readonly memoryBytes: number;
  readonly maxResultBytes: number;
}

/**
 * What a script's end means. `external` text may stand in what the script threw: then it is told as detail, which
 * makes the whole result untrusted.
 */
export function toFailedEnd(
  end: Exclude<VmEnd, { type: 'success' }>,
  { stopReason, external, limits }: { stopReason: unknown; external: boolean; limits: EndLimits },
): FailedEnd {
  switch (end.type) {
    case 'script_error':
      return fromScript(end.failure, external);
    case 'out_of_memory':
      return {
        outcome: 'out_of_memory',
        error: limitExceeded(
          'out_of_memory',
          `The program took more than ${limits.memoryBytes} bytes of memory; keep less at once.`,
        ),
      };
    case 'result_too_large':
      return {
        outcome: 'result_too_large',
        error: limitExceeded(
          'result_too_large',
          `The value that the program returned has ${end.bytes} bytes as JSON; at most ${limits.maxResultBytes} are taken. Return a summary.`,
        ),
      };
    case 'stopped':
      return fromStop(stopReason);
    case 'fault':
      return {
        outcome: 'fault',
        error: new ToolError('internal', `The engine that runs programs failed: ${end.message}`),
      };
  }
}

function fromScript(failure: ScriptFailure, external: boolean): FailedEnd {
  const { reason, name, message, line, column, stack } = failure;
  const place = line === null ? '' : ` (line ${line})`;
  const said = name === '' || name === 'Error' ? message : `${name}: ${message}`;
  const fields = { line, column, name };
  const output = stack === '' ? undefined : stack.trimEnd();
  if (reason === 'stack_overflow') {
    return {
      outcome: 'stack_overflow',
      error: new ToolError('limit_exceeded', `The program called itself too deeply${place}.`, {
        reason: 'stack_overflow',
        fields,
        ...(output === undefined ? {} : { output }),
      }),
    };
  }
  return {
    outcome: 'script_error',
    error: new ToolError(
      'script_error',
      external ? `The program failed${place}.` : `${said}${place}`,
      {
        reason,
        fields,
        ...(external ? { detail: said } : {}),
        ...(output === undefined ? {} : { output }),
      },
    ),
  };
}

function fromStop(reason: unknown): FailedEnd {
  const error = ToolError.isInstance(reason)
    ? reason
    : new ToolError('cancelled', 'The program was cancelled before it ended.', { cause: reason });
  if (error.type === 'timeout') return { outcome: 'timeout', error };
  if (error.reason === 'divergence') return { outcome: 'divergence', error };
  if (error.type === 'cancelled' || error.type === 'session_closed')
    return { outcome: 'cancelled', error };
  return { outcome: 'fault', error };
}

function limitExceeded(reason: string, message: string): ToolError {
  return new ToolError('limit_exceeded', message, { reason });
}
