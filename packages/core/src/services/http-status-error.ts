import { ToolError } from '../errors/tool-error.ts';
import type { HttpResponse } from './http-client.ts';
import { parseRetryAfter } from './retry-after.ts';

/**
 * The typed failure that a status outside 200–299 stands for, with `status` as a field: 429, and 503 that says when to come back,
 * are `rate_limited` with `retry_after_ms` where told; 404 and 410 `not_found`; all others `transport`, of which 408 and 5xx are
 * retryable. `reason` is `http_status`.
 */
export function httpStatusError(response: HttpResponse, nowMs: number): ToolError {
  const { status, headers } = response;
  const retryAfter = parseRetryAfter(headers['retry-after'], nowMs);
  const message = `The server answered with status ${status}.`;
  const fields = { status };
  if (status === 429 || (status === 503 && retryAfter !== undefined)) {
    return new ToolError('rate_limited', message, {
      reason: 'http_status',
      fields: { ...fields, ...(retryAfter === undefined ? {} : { retry_after_ms: retryAfter }) },
    });
  }
  if (status === 404 || status === 410) {
    return new ToolError('not_found', message, { reason: 'http_status', fields });
  }
  const retryable = status === 408 || status >= 500;
  return new ToolError('transport', message, { reason: 'http_status', retryable, fields });
}
