import { parseRetryAfter, ToolError } from '@toolwright/core';
import type { HttpResponse } from '@toolwright/core';

/** A server that says one thing and does another. */
export function protocolError(message: string): ToolError {
  return new ToolError('transport', message, { reason: 'protocol' });
}

/** A connection that ended before the bytes it had promised. */
export function interrupted(message: string): ToolError {
  return new ToolError('transport', message, { reason: 'connection_lost', retryable: true });
}

/** The refusal of a file larger than the caller allows. */
export function tooLarge(maxBytes: number): ToolError {
  return new ToolError(
    'limit_exceeded',
    `The file is larger than max_bytes (${String(maxBytes)}).`,
    {
      reason: 'body_too_large',
      fields: { max_bytes: maxBytes },
    },
  );
}

/** The typed failure that a status stands for. 429, and 503 that says when to come back, are `rate_limited`. */
export function statusError(response: HttpResponse, nowMs: number): ToolError {
  const { status, headers } = response;
  const retryAfter = parseRetryAfter(headers['retry-after'], nowMs);
  const message = `The server answered with status ${String(status)}.`;
  if (status === 429 || (status === 503 && retryAfter !== undefined)) {
    return new ToolError('rate_limited', message, {
      reason: 'http_status',
      fields: { status, ...(retryAfter === undefined ? {} : { retry_after_ms: retryAfter }) },
    });
  }
  if (status === 204 || status === 205) {
    return new ToolError('transport', `${message} That means: there is no content.`, {
      reason: 'no_content',
      fields: { status },
    });
  }
  if (status === 404 || status === 410) {
    return new ToolError('not_found', message, { reason: 'http_status', fields: { status } });
  }
  return new ToolError('transport', message, {
    reason: 'http_status',
    retryable: status === 408 || status >= 500,
    fields: { status },
  });
}

/** Whether trying again can help: the connection failed, the server was busy, or it broke the protocol this time. */
export function isTransient(error: unknown): error is ToolError {
  if (!ToolError.isInstance(error)) {
    return false;
  }
  return (
    error.type === 'rate_limited' ||
    (error.type === 'transport' && (error.retryable || error.reason === 'protocol'))
  );
}
