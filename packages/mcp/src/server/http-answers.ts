import type { ServerResponse } from 'node:http';

/** An error before any protocol server has the request. */
export interface HttpFailure {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers with an error as JSON-RPC has them, without an id: no request was read. */
export function answerError(response: ServerResponse, failure: HttpFailure): void {
  const { status, code, message, headers = {} } = failure;
  answerJson(response, status, { jsonrpc: '2.0', error: { code, message }, id: null }, headers);
}

/** Answers with JSON. */
export function answerJson(
  response: ServerResponse,
  status: number,
  ...[body, headers = {}]: readonly [object, Readonly<Record<string, string>>?]
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
