import { ToolError } from '../errors/tool-error.ts';
import type { ToolEvent } from '../events/tool-event.ts';
import type { JsonObject } from '../json/json.ts';
import type { InvocationRecord, Telemetry } from '../telemetry/telemetry.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { BoundCall } from './bound-call.ts';
import type { CallRequest } from './call-request.ts';
import { CallResult } from './call-result.ts';
import { emitWhole } from './emit.ts';
import { Invocation, type InvocationState } from './invocation.ts';
import type { KernelSession } from './kernel-session.ts';

/** A call that has entered the kernel. */
export interface Begun {
  readonly invocation: Invocation;
  /** Why it goes no further. */
  readonly refusal: ToolError | undefined;
  readonly result: CallResult;
}

/** Makes the record of a call. `quiet` calls are only looked at: no event tells of them. */
export function begin(session: KernelSession, request: CallRequest, mode?: 'quiet'): Begun {
  const invocation = new Invocation({
    id: request.id,
    name: request.name,
    parent: request.parent,
    origin: request.origin,
    startedAt: session.clock(),
    quiet: mode === 'quiet',
    stop: session.stop,
    signals: request.signals,
  });
  const refusal = request.refusal ?? refusalOf(session, invocation, mode);
  if (mode !== 'quiet') {
    if (refusal === undefined) session.active.add(invocation);
    emitWhole(session, invocation, (seq) => ({
      seq,
      session_id: session.id,
      invocation_id: invocation.id,
      parent_id: invocation.parentId,
      origin: invocation.origin,
      type: 'tool_start',
      id: invocation.id,
      name: invocation.name,
    }));
  }
  invocation.enter('gate_pending');
  return { invocation, refusal, result: new CallResult() };
}

/** Stage 14: one terminal state, one `tool_end`, and nothing of the call is left. */
export function end(
  session: KernelSession,
  invocation: Invocation,
  ended: { readonly result: ToolResult; readonly call: BoundCall | undefined },
): void {
  const { result, call } = ended;
  invocation.stage = 'end';
  const state = terminalState(result, invocation.state);
  invocation.enter(state);
  invocation.unlink();
  // One that was refused because another call in flight has its id must leave that call alone.
  if (session.active.remove(invocation)) session.journal.settle(invocation.id);
  if (bringsUntrusted(result) && invocation.origin !== 'host') session.policy.taint();
  emitWhole(session, invocation, (seq) => {
    const event: ToolEvent & { args?: JsonObject } = {
      seq,
      session_id: session.id,
      invocation_id: invocation.id,
      parent_id: invocation.parentId,
      origin: invocation.origin,
      type: 'tool_end',
      id: invocation.id,
      name: invocation.name,
      state,
      output: result.output,
      exit_code: result.exit_code,
      metadata: result.metadata,
      error: result.error,
    };
    if (call !== undefined) event.args = call.args;
    return event;
  });
  if (session.telemetry !== undefined) {
    void report(session.telemetry, toRecord(session, invocation, { result, call, state }));
  }
}

/** Whether words from outside stand in a result; a failure has some where it says more than its message. */
function bringsUntrusted({ trust, error, output }: ToolResult): boolean {
  if (trust !== 'external') return false;
  return error === null || output !== `${error.type}: ${error.message}`;
}

/** Aborted already, too many at once, or an id that another call in flight has. */
function refusalOf(
  session: KernelSession,
  invocation: Invocation,
  mode: 'quiet' | undefined,
): ToolError | undefined {
  if (invocation.stop.aborted) return toError(invocation.stop.reason);
  if (mode === 'quiet') return undefined;
  if (session.active.get(invocation.id) !== undefined) {
    return new ToolError(
      'invalid_argument',
      `A call with the id ${JSON.stringify(invocation.id)} is still in flight; give each call an id of its own.`,
      { reason: 'duplicate_id' },
    );
  }
  if (session.active.size >= session.maxActiveCalls) {
    return new ToolError(
      'limit_exceeded',
      `${session.maxActiveCalls} calls are in flight in this session; wait for some to end.`,
      { reason: 'too_many_calls', retryable: true },
    );
  }
  return undefined;
}

function toError(reason: unknown): ToolError {
  return ToolError.isInstance(reason)
    ? reason
    : new ToolError('cancelled', 'The call was cancelled before it began.', { cause: reason });
}

type TerminalState = Extract<InvocationState, 'completed' | 'rejected' | 'cancelled' | 'failed'>;

function terminalState({ error }: ToolResult, reached: InvocationState): TerminalState {
  if (error === null) return 'completed';
  if (error.type === 'cancelled' || error.type === 'session_closed') return 'cancelled';
  return reached === 'running' ? 'failed' : 'rejected';
}

function toRecord(
  session: KernelSession,
  invocation: Invocation,
  ended: {
    readonly result: ToolResult;
    readonly call: BoundCall | undefined;
    readonly state: TerminalState;
  },
): InvocationRecord {
  const { result, call, state } = ended;
  const evidence = result.metadata['a3s_tool_result_evidence'];
  const count = (key: string): number => {
    const value =
      typeof evidence === 'object' && evidence !== null && key in evidence
        ? Object.entries(evidence).find(([name]) => name === key)?.[1]
        : 0;
    return typeof value === 'number' ? value : 0;
  };
  const record: InvocationRecord = {
    session_id: session.id,
    invocation_id: invocation.id,
    parent_id: invocation.parentId,
    tool: invocation.name,
    origin: invocation.origin,
    state,
    error_type: result.error?.type ?? null,
    argument_keys: Object.keys(call?.args ?? {}).sort(),
    argument_bytes: call === undefined ? 0 : JSON.stringify(call.args).length,
    original_bytes: count('original_bytes'),
    projected_bytes: count('projected_bytes'),
    duration_ms: session.clock() - invocation.startedAt,
  };
  return session.sanitiser.active ? session.sanitiser.json(record) : record;
}

async function report(telemetry: Telemetry, record: InvocationRecord): Promise<void> {
  try {
    await telemetry(record);
  } catch {
    // An exporter that fails must not change the call that it tells of.
  }
}
