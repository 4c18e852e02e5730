import type { BudgetUsage } from '../budget/budget.ts';
import { utf8Length } from '../digest/sha256.ts';
import { ToolError } from '../errors/tool-error.ts';
import type { Projection } from '../projection/projection.ts';
import { defaultTimeoutMs } from '../tool/define-tool.ts';
import type { ToolOutput } from '../tool/tool-output.ts';
import type { Admission } from './admit.ts';
import type { BoundCall } from './bound-call.ts';
import { Deadline } from './deadline.ts';
import { emit, emitWhole } from './emit.ts';
import type { KernelSession } from './kernel-session.ts';
import { projectText } from './project-result.ts';
import { CallAuthority, type Invoke } from './call-authority.ts';
import type { CallRequest } from './call-request.ts';
import type { CallResult } from './call-result.ts';
import { toolContext } from './run-context.ts';
import { isLarge, takeOutput } from './take-output.ts';

/** Milliseconds that a stopped tool has to settle, so that its own account of the stop can be told. */
const graceMs = 100;

/** Milliseconds that a promotion under way has to end after its call was stopped, and then what the call left open to close. */
const endingLimitMs = 5_000;

/** What a run came to. */
export interface RunOutcome {
  readonly output: ToolOutput;
  /** Present when the output was a stream: it was projected while it ran. */
  readonly projection?: Projection;
}

/** What `runTool` needs beside the call. */
export interface RunRequest {
  readonly admission: Admission;
  readonly request: CallRequest;
  readonly invoke: Invoke;
  /** The call's own, for whoever answers what it asks while it runs. */
  readonly result: CallResult;
}

/**
 * Stage 10: runs the tool under one deadline and one signal; whatever happens, the view of the workspace is
 * then revoked and the locks go. Errors: the tool's own, `timeout`, `cancelled`.
 */
export async function runTool(
  session: KernelSession,
  call: BoundCall,
  request: RunRequest,
): Promise<RunOutcome> {
  const { stop, patience } = call.invocation;
  let authority: CallAuthority | undefined;
  let run: Promise<RunOutcome> | undefined;
  let outcome: RunOutcome | undefined;
  let settling: Promise<unknown> | undefined;
  try {
    authority = startRun(session, call, request);
    const running = runOf(authority, request.request);
    run = running;
    outcome = await patience.during(() => patience.wait(running, Infinity), stop);
    return outcome;
  } catch (error) {
    // What was stopped before its run still holds what it was admitted to.
    if (!stop.aborted || run === undefined) throw error;
    const late = await settledWithin(run, graceMs);
    if (late === undefined) {
      settling = run;
      void tellLate(session, call, run);
    }
    throw stopped(stop.reason, late);
  } finally {
    patience.rest();
    // Everything of the run ends; what it held is given back last.
    authority?.options.deadline.end();
    const promotions = authority?.promotions();
    if (promotions !== undefined) await settledWithin(promotions, endingLimitMs);
    const abandoned = authority?.revoke();
    if (abandoned !== undefined) await abandoned;
    const left = authority?.closeLeft(settling);
    if (left !== undefined) await settledWithin(left, endingLimitMs);
    request.admission.release();
    const { settle } = request.admission;
    if (settle !== undefined) await settle(usageOf(authority, outcome));
  }
}

function usageOf(
  authority: CallAuthority | undefined,
  outcome: RunOutcome | undefined,
): BudgetUsage {
  return {
    outputBytes: outcome?.projection?.originalBytes ?? sizeOf(outcome?.output.output),
    durationMs: authority?.options.deadline.elapsedMs ?? 0,
  };
}

function startRun(session: KernelSession, call: BoundCall, run: RunRequest): CallAuthority {
  const { invocation, tool, args } = call;
  const { admission, invoke, request, result } = run;
  invocation.stop.throwIfAborted();
  invocation.stage = 'run';
  invocation.enter('running');
  emitWhole(session, invocation, (seq) => ({
    seq,
    session_id: session.id,
    invocation_id: invocation.id,
    parent_id: invocation.parentId,
    origin: invocation.origin,
    type: 'tool_execution_start',
    id: invocation.id,
    name: tool.name,
    args,
  }));
  const limitMs = takeLimit(request.timeoutMs ?? tool.tool.timeoutMs(args));
  const deadline = new Deadline(
    limitMs,
    () => invocation.abort(timedOut(tool.name, limitMs)),
    invocation.parent?.deadline,
  );
  invocation.deadline = deadline;
  return new CallAuthority(session, call, { admission, invoke, deadline, limitMs, result });
}

/** The tool's own work, and what it returned, taken over. */
async function runOf(authority: CallAuthority, { beforeRun }: CallRequest): Promise<RunOutcome> {
  const { session, call } = authority;
  const { tool, args, capabilities, invocation } = call;
  if (beforeRun !== undefined) {
    await beforeRun({ capabilities });
    invocation.stop.throwIfAborted();
  }
  const returned: unknown = await tool.tool.run(args, toolContext(authority));
  const output = takeOutput(returned, tool.name);
  const isKept = output.output instanceof Uint8Array && !isLarge(output.output);
  if (typeof output.output === 'string' || isKept) return { output };
  return { output, projection: await projectText(session, call, output.output) };
}

/** How a promise settled within a time; undefined when it did not. */
async function settledWithin<T>(
  work: Promise<T>,
  limitMs: number,
): Promise<PromiseSettledResult<T> | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await Promise.race([
      Promise.allSettled([work]).then(([settled]) => settled),
      new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), limitMs);
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
}

/** Tells listeners what a tool came to after its call had ended; its text is kept as an artifact. */
async function tellLate(
  session: KernelSession,
  call: BoundCall,
  run: Promise<RunOutcome>,
): Promise<void> {
  const { invocation, tool } = call;
  const [settled] = await Promise.allSettled([run]);
  if (settled === undefined || session.stop.aborted) return;
  let uri: string | null = null;
  if (settled.status === 'fulfilled') {
    const { output } = settled.value.output;
    if (typeof output === 'string' || output instanceof Uint8Array) {
      uri = await session.artifacts.keepLate(tool.name, session.sanitiser.output(output));
    }
  }
  emit(session, invocation, () => ({
    type: 'tool_late_result',
    id: invocation.id,
    name: tool.name,
    outcome: settled.status === 'fulfilled' ? 'value' : 'error',
    artifact_uri: uri,
  }));
}

/** The stop's own error, with what the tool could still say of it. */
function stopped(reason: unknown, late: PromiseSettledResult<RunOutcome> | undefined): ToolError {
  const error = ToolError.isInstance(reason)
    ? reason
    : new ToolError('cancelled', 'The call was cancelled before it ended.', { cause: reason });
  if (late === undefined) {
    return withNote(error, { may_still_run: true });
  }
  if (late.status === 'fulfilled') return withNote(error, { completed_while_stopping: true });
  const said: unknown = late.reason;
  if (!ToolError.isInstance(said) || said.type !== error.type) return error;
  return new ToolError(error.type, error.message, {
    ...optional('reason', error.reason),
    retryable: error.retryable,
    fields: { ...said.fields, ...error.fields },
    ...optional('output', said.output),
    ...optional('metadata', said.metadata),
    cause: said,
  });
}

function withNote(error: ToolError, note: Record<string, boolean>): ToolError {
  return new ToolError(error.type, error.message, {
    ...optional('reason', error.reason),
    retryable: error.retryable,
    fields: { ...error.fields, ...note },
    cause: error,
  });
}

/** A limit that is no number would be none at all. */
function takeLimit(told: unknown): number {
  return typeof told === 'number' && told >= 0 ? told : defaultTimeoutMs;
}

function timedOut(tool: string, limitMs: number): ToolError {
  return new ToolError(
    'timeout',
    `${tool} did not end within ${limitMs} ms; ask for less at once, or give it more time.`,
    { fields: { op: tool, duration_ms: limitMs } },
  );
}

function sizeOf(output: ToolOutput['output'] | undefined): number {
  if (typeof output === 'string') return utf8Length(output);
  return output instanceof Uint8Array ? output.length : 0;
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  // TypeScript cannot see that a computed key is K.
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
}
