import {
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequest,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequest,
  type InputRequiredResult,
  type LoggingLevel,
  type Notification,
  type RequestOptions,
} from '@modelcontextprotocol/server';
import { isJsonObject, ToolError, type JsonObject, type ToolResult } from '@toolwright/core';
import { toCallToolResult } from './call-result.ts';
import { isAnswerable } from './client-requests.ts';
import { rootsLimitMs } from './client-roots.ts';
import { ProgressReporter } from './progress-reporter.ts';
import type { CallLeg } from './running-call.ts';
import type { ServedLegEnd, ServedSession } from './served-session.ts';

/** What the handler knows of the connection that a call comes over. */
export interface CallConnection {
  readonly isModern: boolean;
  readonly capabilities: ClientCapabilities | undefined;
  readonly log: (level: LoggingLevel, data: unknown) => Promise<void>;
}

/** A `tools/call` as it reached the server. */
export interface CallRequest {
  readonly params: CallToolRequest['params'];
  /** Aborted when the client takes the request back. */
  readonly signal: AbortSignal;
  readonly progressToken: string | number | undefined;
  /** Under which a call waits that this request brings answers for. */
  readonly state: string | undefined;
  readonly answers: CallLeg['answers'];
  /** Sends a request, or a notification, that belongs to this one. */
  readonly send: (
    request: { method: InputRequest['method']; params?: Record<string, unknown> },
    options: RequestOptions,
  ) => Promise<unknown>;
  readonly notify: (notification: Notification) => Promise<void>;
}

/** Milliseconds that a person has to answer a form. */
const personLimitMs = 10 * 60_000;

/** Answers `tools/call`: a call of the kernel as an agent's, with full policy. Whatever goes wrong is a result. */
export async function callTool(
  served: ServedSession,
  connection: CallConnection,
  request: CallRequest,
): Promise<CallToolResult | InputRequiredResult> {
  const { params, state } = request;
  const wanted = {
    name: params.name,
    // What came as JSON is JSON.
    arguments: (params.arguments ?? {}) as JsonObject,
  };
  const waitingId = state === undefined ? undefined : served.waitingId(state, wanted);
  if (state !== undefined && waitingId === undefined) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'No call waits under this requestState for these arguments; make the call again without it.',
    );
  }
  const leg = toLeg(connection, request);
  if (leg.push !== undefined && isAnswerable({ method: 'roots/list' }, leg.capabilities)) {
    await served.roots.learn(() =>
      request.send({ method: 'roots/list' }, { timeout: rootsLimitMs }),
    );
  }
  const id = waitingId ?? served.nextId();
  const progress = watchProgress(served, id, request);
  let end: ServedLegEnd;
  try {
    await served.ready();
    end =
      state === undefined ? await served.start(id, wanted, leg) : await served.resume(state, leg);
    if (end.kind === 'done') await progress?.ended();
  } catch (error) {
    return failed(error);
  } finally {
    progress?.stop();
  }
  if (end.kind === 'asks') {
    return inputRequired({ inputRequests: end.requests, requestState: end.state });
  }
  const required = end.result.error?.['required_capabilities'];
  if (connection.isModern && isJsonObject(required)) {
    // The newer protocol has an error of its own for this; a client may come again with what is missing.
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: required });
  }
  return toResult(served, end.result, leg);
}

async function toResult(
  served: ServedSession,
  result: ToolResult,
  leg: CallLeg,
): Promise<CallToolResult> {
  try {
    const answer = await toCallToolResult(served.session, result, {
      promises: served.tools.hasOutput(result.name),
      canAsk: isAnswerable(
        { method: 'elicitation/create', params: { message: '', requestedSchema: emptyForm } },
        leg.capabilities,
      ),
    });
    // What a result links to is in the list of resources from now on.
    if (answer.content.some(({ type }) => type === 'resource_link')) served.announce('resources');
    return answer;
  } catch (error) {
    return failed(error);
  }
}

const emptyForm = { type: 'object' as const, properties: {} };

function toLeg(connection: CallConnection, request: CallRequest): CallLeg {
  return {
    capabilities: connection.capabilities,
    signal: request.signal,
    answers: request.answers,
    push: connection.isModern
      ? undefined
      : ({ method, params }, signal) =>
          request.send(
            { method, ...(params === undefined ? {} : { params: { ...params } }) },
            { signal, timeout: personLimitMs },
          ),
    log: connection.log,
  };
}

/** Sends progress as long as the client asked for it. */
function watchProgress(served: ServedSession, id: string, { progressToken, notify }: CallRequest) {
  if (progressToken === undefined) return undefined;
  const reporter = new ProgressReporter((tick) =>
    notify({
      method: 'notifications/progress',
      params: { progressToken, ...tick },
    }),
  );
  const unwatch = served.events.watch(id, (event) => reporter.step(event));
  return {
    /** All ticks of the call are out. */
    ended: async () => {
      await served.events.settled();
      await reporter.finish();
    },
    stop: () => {
      unwatch();
      void reporter.finish();
    },
  };
}

/** What must not happen, as a result: no stack, no path, and the connection lives on. */
function failed(error: unknown): CallToolResult {
  const text = ToolError.isInstance(error)
    ? `${error.type}: ${error.message}`
    : error instanceof Error && 'type' in error && error.type === 'session_closed'
      ? 'session_closed: The session of this connection has ended; connect again.'
      : 'internal: The call failed inside the server; this is a defect of it.';
  return { content: [{ type: 'text', text }], isError: true };
}
