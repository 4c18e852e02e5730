import type { HttpClient, RenderRequest } from '@toolwright/core';

/** Something a page loaded. */
export interface Resource {
  /** The URL that answered. */
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What the traffic of one page is limited by. */
export interface TrafficOptions {
  readonly http: HttpClient;
  readonly request: RenderRequest;
  /** On the clock of `performance.now()`. */
  readonly deadlineMs: number;
  readonly maxRequests: number;
  readonly maxTotalBytes: number;
}

/** Answers the requests of one page from the guarded client, within limits. */
export class GuardedTraffic {
  readonly #options: TrafficOptions;
  #main: Resource | undefined;
  #requests = 0;
  #bytes = 0;

  constructor(main: Resource, options: TrafficOptions) {
    this.#main = main;
    this.#options = options;
  }

  /** Whether the page has asked for as much as it may. */
  get isExhausted(): boolean {
    const { maxRequests, maxTotalBytes } = this.#options;
    return this.#requests > maxRequests || this.#bytes >= maxTotalBytes;
  }

  /** The answer; `undefined` for a request that is not made: refused, over a limit, or failed. */
  async load(url: string, method: string): Promise<Resource | undefined> {
    if (this.#main?.url === url && method === 'GET') {
      const main = this.#main;
      this.#main = undefined;
      return main;
    }
    const { http, request, deadlineMs, maxTotalBytes } = this.#options;
    this.#requests += 1;
    if ((method !== 'GET' && method !== 'HEAD') || this.isExhausted) {
      return undefined;
    }
    try {
      await request.onRequest?.({ url, method });
      const resource = await readResource(http, request, {
        url,
        method,
        timeoutMs: Math.max(deadlineMs - performance.now(), 1),
        maxBytes: maxTotalBytes - this.#bytes,
      });
      this.#bytes += resource.body.length;
      return resource;
    } catch {
      // A page whose parts are missing is still a page.
      return undefined;
    }
  }
}

/** Fetches one resource whole, redirects admitted like the rest. Errors: those of the HTTP client. */
export async function readResource(
  http: HttpClient,
  request: RenderRequest,
  target: {
    readonly url: string;
    readonly method?: string;
    readonly timeoutMs: number;
    readonly maxBytes: number;
  },
): Promise<Resource> {
  const response = await http.request({
    url: target.url,
    method: target.method ?? 'GET',
    timeoutMs: target.timeoutMs,
    maxBodyBytes: target.maxBytes,
    ...(request.signal === undefined ? {} : { signal: request.signal }),
    onRedirect: async ({ url, method }) => request.onRequest?.({ url, method }),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) {
    chunks.push(chunk);
  }
  return {
    url: response.url,
    status: response.status,
    headers: response.headers,
    body: Buffer.concat(chunks),
  };
}

/** Headers that tell of the body as it travelled, which is not how it is handed over. */
const TRANSFER_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'set-cookie',
  'transfer-encoding',
]);

/** A resource in the form that the browser takes. */
export function toFulfilment({ status, headers, body }: Resource): {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
} {
  const kept = Object.entries(headers).filter(([name]) => !TRANSFER_HEADERS.has(name));
  return { status, headers: Object.fromEntries(kept), body };
}
