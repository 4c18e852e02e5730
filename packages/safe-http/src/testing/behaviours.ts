import type { HostileBehaviour, HostileExchange } from './hostile-server.ts';

/** An honest response, written at once. */
export interface PlainResponse {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent as UTF-8. */
  readonly body?: string | Uint8Array;
}

/** Writes the head of a response as given; nothing is added, not even a length. */
export function responseHead(
  status: number,
  headers: Readonly<Record<string, string>> = {},
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${String(status)} X\r\n${lines.join('')}\r\n`;
}

/** Sends an honest response with its length. */
export async function sendPlain(exchange: HostileExchange, response: PlainResponse): Promise<void> {
  const body =
    typeof response.body === 'string'
      ? Buffer.from(response.body, 'utf8')
      : (response.body ?? new Uint8Array());
  const headers = { 'content-length': String(body.length), ...response.headers };
  await exchange.write(responseHead(response.status ?? 200, headers));
  if (exchange.request.method !== 'HEAD') {
    await exchange.write(body);
  }
}

/** Answers by path (without the query); any other path is 404. */
export function serveRoutes(
  routes: Readonly<Record<string, PlainResponse | HostileBehaviour>>,
): HostileBehaviour {
  return async (exchange) => {
    const path = exchange.request.target.split('?')[0] ?? '';
    const route = routes[path];
    if (typeof route === 'function') {
      await route(exchange);
      return;
    }
    await sendPlain(exchange, route ?? { status: 404, body: 'no such page' });
  };
}

/** Sends the client elsewhere. */
export function redirectTo(location: string, status = 302): PlainResponse {
  return { status, headers: { location } };
}

/** Sends a body that never ends, until the client hangs up; `chunk` is repeated. */
export function endlessBody(
  chunk: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): HostileBehaviour {
  return async (exchange) => {
    await exchange.write(responseHead(200, { connection: 'close', ...headers }));
    while (await exchange.write(chunk)) {
      // The next chunk goes out as soon as the socket takes it.
    }
  };
}

/** Takes the request and never answers. */
export const neverAnswers: HostileBehaviour = async (exchange) => {
  while (await exchange.pause(25)) {
    // Until the client hangs up.
  }
};
