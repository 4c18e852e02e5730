import { expect, test } from 'vitest';
import type { HttpResponse } from '../../src/services/http-client.ts';
import { httpStatusError } from '../../src/services/http-status-error.ts';

const answer = (status: number, headers: Readonly<Record<string, string>> = {}): HttpResponse => ({
  status,
  headers,
  url: 'https://site.test/',
  redirects: [],
  body: (async function* none() {})(),
  cancel: async () => {},
});

test.each([
  [429, {}, { type: 'rate_limited', retryable: true, fields: { status: 429 } }],
  [
    429,
    { 'retry-after': '7' },
    { type: 'rate_limited', fields: { status: 429, retry_after_ms: 7000 } },
  ],
  [429, { 'retry-after': 'soon' }, { type: 'rate_limited', fields: { status: 429 } }],
  [
    503,
    { 'retry-after': '1' },
    { type: 'rate_limited', fields: { status: 503, retry_after_ms: 1000 } },
  ],
  [503, {}, { type: 'transport', retryable: true }],
  [404, {}, { type: 'not_found', retryable: false }],
  [410, {}, { type: 'not_found', retryable: false }],
  [408, {}, { type: 'transport', retryable: true }],
  [401, {}, { type: 'transport', retryable: false }],
  [304, {}, { type: 'transport', retryable: false }],
])('%d %j', (status, headers, expected) => {
  const error = httpStatusError(answer(status, headers), 0);
  expect(error).toMatchObject({ reason: 'http_status', ...expected });
  expect(Object.keys(error.fields)).toEqual(
    Object.keys(error.fields).filter((key) => key === 'status' || key === 'retry_after_ms'),
  );
});
