import type { FetchLike } from '@modelcontextprotocol/client';
import {
  ToolError,
  type HttpClient,
  type HttpEgressFinding,
  type HttpResponse,
} from '@toolwright/core';
import { capEvents } from './cap-events.ts';
import { RefreshOnce } from './refresh-once.ts';

/** What requests of one server go through. */
export interface GuardedFetchOptions {
  /** The configured URL: requests to its origin go through `admitted`, which may know private endpoints. */
  readonly url: URL;
  readonly admitted: HttpClient;
  /** For everything else, such as the authorization servers that a server names: the session's own client. */
  readonly general: HttpClient | undefined;
  readonly kind: 'streamable' | 'sse';
  readonly maxMessageBytes: number;
  /** The stream of the older transport has ended. */
  readonly onStreamLost: () => void;
  /** Asks, through the call that a body belongs to, whether what looks like a secret may go out; throws if not. */
  readonly onEgress: (body: string, finding: HttpEgressFinding) => Promise<void>;
}

/** An exchange lasts as long as its call; calls have timers of their own. */
const NO_LIMIT_MS = 2_147_483_647;
/** Bytes of answers from elsewhere: metadata and tokens of authorization servers. */
const MAX_OTHER_BYTES = 1024 * 1024;
/** A standby stream that ends sooner than this was not meant to stay. */
const SHORT_LIVED_MS = 5_000;
const MAX_SHORT_LIVED = 3;
/** `localhost`, a name that the guard does not resolve, in the order in which it is tried. */
const LOOPBACK = ['127.0.0.1', '[::1]'];

/**
 * `fetch` for the SDK's transports over the guarded HTTP client: bodies stream, no redirect leaves the origin or
 * changes the method, each request has a signal of its own, and what the SDK trips over is straightened: a standby
 * stream that is refused or keeps ending is "not offered" (405), and an event without an end is cut off.
 */
export function guardedFetch(options: GuardedFetchOptions): FetchLike {
  const route = new Route(options);
  const refreshes = new RefreshOnce();
  let shortLived = 0;
  return async (input, init = {}) => {
    const url = new URL(input);
    const isStandby =
      options.kind === 'streamable' && init.method === 'GET' && url.href === options.url.href;
    if (isStandby && shortLived >= MAX_SHORT_LIVED) return new Response(null, { status: 405 });
    const body = bodyText(init.body);
    const fetched = async (): Promise<Response> => {
      const startedAt = performance.now();
      const stop = bridged(init.signal);
      try {
        const answer = await route.send(url, { init, body, signal: stop.signal });
        return toResponse(answer, {
          maxMessageBytes: options.maxMessageBytes,
          onEnd: (whole) => {
            stop.release();
            if (options.kind === 'sse' && init.method !== 'POST') options.onStreamLost();
            if (isStandby && whole && performance.now() - startedAt < SHORT_LIVED_MS)
              shortLived += 1;
          },
        });
      } catch (error) {
        stop.release();
        throw error;
      }
    };
    const response = await refreshes.share(url, body, fetched);
    if (!isStandby || response.ok || [401, 403].includes(response.status)) return response;
    await response.body?.cancel();
    return new Response(null, { status: 405 });
  };
}

/** Which client a request takes, and to which address. */
class Route {
  readonly #options: GuardedFetchOptions;
  #loopback: string | undefined;

  constructor(options: GuardedFetchOptions) {
    this.#options = options;
  }

  async send(url: URL, request: Sending): Promise<HttpResponse> {
    const { url: configured, admitted, general } = this.#options;
    if (url.origin === configured.origin) {
      return url.hostname === 'localhost'
        ? this.#sendLoopback(url, request)
        : this.#request(admitted, url, request);
    }
    if (general === undefined) {
      throw new ToolError('unsupported', `The session offers no way to ${url.host}.`, {
        reason: 'http',
      });
    }
    return this.#request(general, url, request);
  }

  async #sendLoopback(url: URL, request: Sending): Promise<HttpResponse> {
    const hosts = this.#loopback === undefined ? LOOPBACK : [this.#loopback];
    let failure: unknown;
    for (const host of hosts) {
      const target = new URL(url);
      target.hostname = host;
      try {
        const answer = await this.#request(this.#options.admitted, target, request);
        this.#loopback = host;
        return answer;
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        failure ??= error;
      }
    }
    throw failure;
  }

  #request(client: HttpClient, url: URL, { init, body, signal }: Sending): Promise<HttpResponse> {
    const method = (init.method ?? 'GET').toUpperCase();
    const isOwn = client === this.#options.admitted;
    return client.request({
      url: url.href,
      method,
      headers: Object.fromEntries(new Headers(init.headers).entries()),
      ...(body === undefined ? {} : { body: new TextEncoder().encode(body) }),
      sameOrigin: true,
      onRedirect: async (hop) => {
        if (hop.method === method) return;
        throw new ToolError('transport', 'A redirect that changes the method was not followed.', {
          reason: 'redirect',
        });
      },
      ...(body === undefined
        ? {}
        : {
            // An authorization server is sent the client's own secrets: that is what they are for.
            onEgress: async (finding: HttpEgressFinding) =>
              isOwn || !isGrantRequest(body) ? this.#options.onEgress(body, finding) : undefined,
          }),
      maxBodyBytes: isOwn ? Number.MAX_SAFE_INTEGER : MAX_OTHER_BYTES,
      timeoutMs: NO_LIMIT_MS,
      signal,
    });
  }
}

function isGrantRequest(body: string): boolean {
  return new URLSearchParams(body).has('grant_type');
}

interface Sending {
  readonly init: RequestInit;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

/** Whether nobody listens at an address: nothing was sent. */
export function isUnreachable(error: unknown): error is ToolError {
  if (!ToolError.isInstance(error) || error.type !== 'transport') return false;
  const { cause } = error;
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return false;
  return ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'ENOTFOUND'].includes(
    String(cause.code),
  );
}

/**
 * A signal of the request's own: the SDK hands the same one to every request, and each would leave listeners on it.
 */
function bridged(signal: AbortSignal | null | undefined): {
  readonly signal: AbortSignal;
  release(): void;
} {
  const controller = new AbortController();
  if (signal === null || signal === undefined) {
    return { signal: controller.signal, release: () => {} };
  }
  const onAbort = (): void => controller.abort(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    release: () => signal.removeEventListener('abort', onAbort),
  };
}

function bodyText(body: RequestInit['body']): string | undefined {
  if (body === null || body === undefined) return undefined;
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('The body of a request is text.');
}

function toResponse(
  answer: HttpResponse,
  options: { readonly maxMessageBytes: number; readonly onEnd: (whole: boolean) => void },
): Response {
  const { status } = answer;
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, value);
  const isStream = (answer.headers['content-type'] ?? '').includes('text/event-stream');
  const source = capEvents(answer.body, options.maxMessageBytes, isStream)[Symbol.asyncIterator]();
  let hasEnded = false;
  const end = (whole: boolean): void => {
    if (hasEnded) return;
    hasEnded = true;
    options.onEnd(whole);
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await source.next();
          if (done === true) {
            end(true);
            controller.close();
          } else controller.enqueue(value);
        } catch (error) {
          end(false);
          controller.error(error);
        }
      },
      async cancel() {
        end(false);
        await answer.cancel();
      },
    },
    { highWaterMark: 0 },
  );
  if ([101, 204, 205, 304].includes(status)) {
    end(true);
    void answer.cancel();
    return new Response(null, { status: status === 101 ? 502 : status, headers });
  }
  return new Response(body, { status, headers });
}
