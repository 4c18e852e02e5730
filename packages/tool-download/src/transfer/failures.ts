import { httpStatusError, ToolError } from '@toolwright/core';
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

/** The typed failure that a status stands for; a success without content is one here. */
export function statusError(response: HttpResponse, nowMs: number): ToolError {
  const { status } = response;
  if (status === 204 || status === 205) {
    return new ToolError(
      'transport',
      `The server answered with status ${String(status)}: there is no content.`,
      {
        reason: 'no_content',
        fields: { status },
      },
    );
  }
  if (response.status === 206) {
    return protocolError('The server sent a part of the file where the whole was asked for.');
  }
  return httpStatusError(response, nowMs);
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
