import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { ToolError, type JsonObject, type ToolContextBase } from '@toolwright/core';
import { looseObject } from 'zod';
import { CallClock, type CallTimes } from './call-clock.ts';
import type { SentRequest } from './direct-requests.ts';
import { isUnreachable } from './guarded-fetch.ts';
import { isNestedTooDeeply, MAX_NESTING } from '../wire/nesting.ts';
import { find, isShapeError, isUnauthorized, messageOf, type Link } from './open-link.ts';
import { malformedCode } from './read-incoming.ts';
import { overlongCode } from './stdio-transport.ts';
import { lostCode } from './wire-tap.ts';

/** A call that a server has in hand. */
export interface ActiveCall {
  readonly context: ToolContextBase;
  /** Stops the call's own timers while a person is asked. */
  pause(): () => void;
  /** Whether its server may put one more question to the person; each time counts. */
  mayAsk(): boolean;
}

/** Questions that a server may put to a person in the course of one call. */
const MAX_QUESTIONS = 16;

/** What a call is made from. */
export interface CallRequest {
  readonly tool: string;
  readonly args: JsonObject;
  readonly context: ToolContextBase;
  readonly times: CallTimes;
  /** The calls that the server has in hand. */
  readonly active: Set<ActiveCall>;
  /** Headers that the tool's own schema asks for (`x-mcp-header`). */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/** A connection that is of no more use for this call; `mayHaveRun` tells whether the server had the request. */
export class LinkLostError extends Error {
  override readonly name = 'LinkLostError';
  readonly mayHaveRun: boolean;
  /** The server has forgotten the session and has run nothing. */
  readonly sessionExpired: boolean;

  constructor(
    message: string,
    options: { mayHaveRun: boolean; sessionExpired?: boolean; cause: unknown },
  ) {
    super(message, { cause: options.cause });
    this.mayHaveRun = options.mayHaveRun;
    this.sessionExpired = options.sessionExpired ?? false;
  }
}

const anyResult = looseObject({});
/**
 * Milliseconds after which a call follows its context's signal. Most are over by then, and a signal that nobody asks
 * for is never made, which is a good part of what a short call costs.
 */
const FOLLOW_AFTER_MS = 10;
/** What the SDK says of an answer that came and cannot be taken. */
const unreadable: ReadonlySet<SdkErrorCode> = new Set([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.ClientHttpUnexpectedContent,
  SdkErrorCode.InputRequiredRoundsExceeded,
]);
/** Reasons of the guarded client for not going where a server points: nothing is lost, and nothing was run. */
const notFollowed: ReadonlySet<string | undefined> = new Set(['redirect', 'too_many_redirects']);
/** The SDK's own timer must never be the one that fires. */
const NEVER_MS = 2_147_483_647;

/**
 * Sends one `tools/call` and waits for its raw result, under timers of our own; all progress is told before it. Errors:
 * `timeout`, `cancelled`, `transport`, and {@link LinkLostError}.
 */
export async function callTool(link: Link, request: CallRequest): Promise<unknown> {
  const { context, times } = request;
  let sent: SentRequest | undefined;
  let stopped: { readonly reason: unknown } | undefined;
  const stop = (reason: unknown): void => {
    stopped ??= { reason };
    sent?.cancel(reason);
  };
  let unfollow = (): void => {};
  const following = setTimeout(() => {
    unfollow = follow(context.signal, stop);
  }, FOLLOW_AFTER_MS);
  const clock = new CallClock(times, stop);
  let questions = 0;
  const active: ActiveCall = {
    context,
    pause: () => clock.pause(),
    mayAsk: () => {
      questions += 1;
      return questions <= MAX_QUESTIONS;
    },
  };
  request.active.add(active);
  let wasSent = false;
  let last = -Infinity;
  let isOver = false;
  const watch = link.wire.watch({
    sent: () => {
      wasSent = true;
    },
    progress: (params) => {
      if (isOver) return;
      clock.progressed();
      const { progress, total, message } = params;
      // JSON has numbers that are too large to be one: 1e999 is read as infinity.
      if (!isFinite(progress) || progress <= last) return;
      last = progress;
      context.progress({
        current: progress,
        ...(isFinite(total) ? { total } : {}),
        ...(typeof message === 'string' ? { message: message.slice(0, 1_000) } : {}),
      });
    },
  });
  try {
    sent = send(link, request, watch.token);
    const result = await sent.answer;
    if (!isNestedTooDeeply(result)) return result;
    throw new ProtocolError(
      malformedCode,
      `The result is nested more than ${MAX_NESTING} levels deep.`,
    );
  } catch (error) {
    if (stopped !== undefined) throw stopped.reason;
    throw toCallError(error, { server: times.server, wasSent, link });
  } finally {
    isOver = true;
    clock.end();
    watch.forget();
    request.active.delete(active);
    clearTimeout(following);
    unfollow();
  }
}

/** Stops with the signal; returns how not to. */
function follow(signal: AbortSignal, stop: (reason: unknown) => void): () => void {
  const onAbort = (): void => stop(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
}

function send(
  link: Link,
  { tool, args, headers }: CallRequest,
  progressToken: number,
): SentRequest {
  const params = { name: tool, arguments: args, _meta: { progressToken } };
  if (link.era === 'legacy') return link.wire.direct.send('tools/call', params);
  const stop = new AbortController();
  return {
    answer: link.client.request({ method: 'tools/call', params }, anyResult, {
      signal: stop.signal,
      timeout: NEVER_MS,
      ...(headers === undefined ? {} : { headers }),
    }),
    cancel: (reason) => stop.abort(reason),
  };
}

function toCallError(
  error: unknown,
  {
    server,
    wasSent,
    link,
  }: { readonly server: string; readonly wasSent: boolean; readonly link: Link },
): Error {
  if (error instanceof ProtocolError) {
    if (error.code === lostCode) {
      return new LinkLostError('the connection broke off before the answer', {
        mayHaveRun: true,
        cause: error,
      });
    }
    if (error.code === overlongCode) {
      return new ToolError('limit_exceeded', `The MCP server ${server}: ${error.message}`, {
        reason: 'message_too_long',
        cause: error,
      });
    }
    if (error.code === malformedCode) return unreadableAnswer(server, error);
    return new ToolError(
      'transport',
      `The MCP server ${server} answered with the protocol error ${error.code}.`,
      { reason: 'protocol', detail: error.message, fields: { code: error.code }, cause: error },
    );
  }
  if (error instanceof SdkError && unreadable.has(error.code)) {
    return unreadableAnswer(server, error);
  }
  // The SDK's transport over HTTP parses an answer before anybody else sees it.
  if (error instanceof Error && (error instanceof SyntaxError || isShapeError(error))) {
    return unreadableAnswer(server, error);
  }
  const refusal = find(error, (cause) => ToolError.isInstance(cause));
  if (refusal !== undefined && (refusal.type !== 'transport' || notFollowed.has(refusal.reason))) {
    return refusal;
  }
  if (isUnauthorized(error)) {
    return new LinkLostError('it needs authorization', { mayHaveRun: false, cause: error });
  }
  const http = find(error, (cause) => cause instanceof SdkHttpError);
  if (http !== undefined) {
    if (http.status === 404 && link.wire.sessionId !== undefined) {
      return new LinkLostError('the server has forgotten the session', {
        mayHaveRun: false,
        sessionExpired: true,
        cause: error,
      });
    }
    return new ToolError(
      'transport',
      `The MCP server ${server} answered with HTTP ${http.status}.`,
      {
        reason: 'http_status',
        fields: { status: http.status },
        retryable: http.status === 429 || http.status === 503,
        ...(typeof http.data['text'] === 'string' && http.data['text'] !== ''
          ? { detail: http.data['text'].slice(0, 2_000) }
          : {}),
        cause: error,
      },
    );
  }
  return new LinkLostError(messageOf(error), {
    mayHaveRun: wasSent && find(error, isUnreachable) === undefined,
    cause: error,
  });
}

function unreadableAnswer(server: string, error: Error): ToolError {
  return new ToolError(
    'transport',
    `The MCP server ${server} answered with what is no result of a call.`,
    { reason: 'protocol', detail: messageOf(error), cause: error },
  );
}

function isFinite(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
