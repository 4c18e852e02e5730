import { ToolError } from '@toolwright/core';
import type { BrowserClient, HttpClient, RenderedPage, RenderRequest } from '@toolwright/core';
import type { Browser, BrowserContext } from 'playwright-core';
import { GuardedTraffic, readResource, toFulfilment } from './guarded-traffic.ts';
import type { Resource } from './guarded-traffic.ts';

/** How a host offers a browser. */
export interface BrowserClientOptions {
  /** Everything that pages load goes through it. */
  readonly http: HttpClient;
  /** The path of a Chromium, Chrome or Edge binary. */
  readonly executablePath: string;
  /** Requests of one page. Default 200. */
  readonly maxRequests?: number;
  /** Bytes that one page may load. Default 32 MiB. */
  readonly maxTotalBytes?: number;
  /** Run Chromium without its own sandbox, where the system forbids it (containers, root). Default false. */
  readonly noSandbox?: boolean;
}

/** Milliseconds in which a page that is there may go on loading. */
const MAX_REST_MS = 5000;
/** A port where nobody listens: what is not answered by us leads there. */
const DEAD_PROXY = 'http://127.0.0.1:9';

/**
 * Makes a browser whose pages have no network of their own: every request is answered from the guarded client, and what could go around
 * that (WebSockets, WebRTC, service workers, prefetching) is switched off or ends at a dead proxy. Only GET and HEAD are made. Needs the
 * optional peer `playwright-core`; each page gets a fresh context, without cookies or storage.
 *
 * Errors: `unsupported`/`no_browser` when package or binary are missing; those of the HTTP client for the page itself; `timeout`;
 * `limit_exceeded`/`body_too_large`.
 */
export function createBrowserClient(options: BrowserClientOptions): BrowserClient {
  let browser: Promise<Browser> | undefined;
  return {
    render: async (request) => renderPage(await (browser ??= launch(options)), request, options),
    close: async () => {
      const launched = await browser?.catch(() => {});
      browser = undefined;
      await launched?.close();
    },
  };
}

async function launch(options: BrowserClientOptions): Promise<Browser> {
  try {
    const { chromium } = await import('playwright-core');
    return await chromium.launch({
      executablePath: options.executablePath,
      chromiumSandbox: options.noSandbox !== true,
      proxy: { server: DEAD_PROXY, bypass: '<-loopback>' },
      args: [
        '--host-resolver-rules=MAP * ~NOTFOUND',
        '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
        '--disable-background-networking',
        '--dns-prefetch-disable',
      ],
    });
  } catch (cause) {
    throw new ToolError(
      'unsupported',
      'No browser could be started: install the package playwright-core and give the path of a Chromium binary.',
      { reason: 'no_browser', cause },
    );
  }
}

async function renderPage(
  browser: Browser,
  request: RenderRequest,
  options: BrowserClientOptions,
): Promise<RenderedPage> {
  const deadlineMs = performance.now() + request.timeoutMs;
  const main = await readResource(options.http, request, {
    url: request.url,
    timeoutMs: request.timeoutMs,
    maxBytes: request.maxBytes,
  });
  const context = await browser.newContext({ serviceWorkers: 'block', acceptDownloads: false });
  const onAbort = (): void => {
    context.close().catch(() => {});
  };
  request.signal?.addEventListener('abort', onAbort, { once: true });
  // Whatever the page does to the browser, its time ends.
  let isLate = false;
  const end = setTimeout(
    () => {
      isLate = true;
      onAbort();
    },
    Math.max(deadlineMs - performance.now(), 1),
  );
  try {
    await connect(context, main, { request, options, deadlineMs });
    const page = await context.newPage();
    const left = (): number => Math.max(deadlineMs - performance.now(), 1);
    await page.goto(main.url, { waitUntil: 'domcontentloaded', timeout: left() });
    // A page that never rests is taken as it is.
    const restMs = Math.min(left() * 0.8, MAX_REST_MS);
    await page.waitForLoadState('networkidle', { timeout: restMs }).catch(() => {});
    const html = await page.content();
    if (Buffer.byteLength(html) > request.maxBytes) {
      throw new ToolError('limit_exceeded', 'The rendered page is larger than allowed.', {
        reason: 'body_too_large',
      });
    }
    return { url: page.url(), html, status: main.status };
  } catch (error) {
    throw toRenderError(error, request, isLate);
  } finally {
    clearTimeout(end);
    request.signal?.removeEventListener('abort', onAbort);
    await context.close().catch(() => {});
  }
}

async function connect(
  context: BrowserContext,
  main: Resource,
  job: {
    readonly request: RenderRequest;
    readonly options: BrowserClientOptions;
    readonly deadlineMs: number;
  },
): Promise<void> {
  const traffic = new GuardedTraffic(main, {
    http: job.options.http,
    request: job.request,
    deadlineMs: job.deadlineMs,
    maxRequests: job.options.maxRequests ?? 200,
    maxTotalBytes: job.options.maxTotalBytes ?? 32 * 1024 * 1024,
  });
  let isOpen = true;
  const closeNetwork = async (): Promise<void> => {
    isOpen = false;
    await context.setOffline(true);
    await context.unrouteAll();
  };
  await context.route('**/*', async (route) => {
    const asked = route.request();
    const resource = await traffic.load(asked.url(), asked.method());
    if (traffic.isExhausted && isOpen) {
      // A flood of requests must not keep us busy refusing them: the browser does that by itself, offline and with a dead proxy.
      closeNetwork().catch(() => {});
    }
    await (
      resource === undefined
        ? route.abort('blockedbyclient')
        : route.fulfill(toFulfilment(resource))
    ).catch(() => {});
  });
  await context.routeWebSocket(/.*/u, async (socket) => socket.close());
}

function toRenderError(error: unknown, request: RenderRequest, isLate: boolean): unknown {
  if (ToolError.isInstance(error)) {
    return error;
  }
  if (request.signal?.aborted === true) {
    return new ToolError('cancelled', 'The page was given up.', { cause: error });
  }
  const isTimeout = isLate || (error instanceof Error && error.name === 'TimeoutError');
  return isTimeout
    ? new ToolError('timeout', `The page did not load within ${String(request.timeoutMs)} ms.`, {
        fields: { op: 'render', duration_ms: request.timeoutMs },
      })
    : new ToolError('transport', 'The page could not be rendered.', {
        reason: 'render_failed',
        cause: error,
      });
}
