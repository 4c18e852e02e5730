import { accessSync, constants } from 'node:fs';
import { expect, test } from 'vitest';
import { ToolError } from '@toolwright/core';
import type { BrowserClient, RenderRequest } from '@toolwright/core';
import { createBrowserClient } from '../../src/browser/index.ts';
import { redirectTo, serveRoutes } from '../../src/testing/index.ts';
import type { HostileServer } from '../../src/testing/index.ts';
import { publicTest, useTestNet } from '../support/test-client.ts';

const net = useTestNet();

/** The Chromium of this machine; where there is none, the tests assert what a host without a browser gets. */
const CHROMIUM = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(isExecutable);

function isExecutable(path: string | undefined): path is string {
  try {
    accessSync(path ?? '', constants.X_OK);
    return path !== undefined;
  } catch {
    return false;
  }
}

function browserFor(server: HostileServer): BrowserClient {
  return createBrowserClient({
    http: net.client(publicTest(server)),
    executablePath: CHROMIUM ?? '/nowhere/chromium',
    noSandbox: true,
    maxRequests: 20,
  });
}

/** The visible words of the rendered page, or the typed failure. */
async function rendered(
  browser: BrowserClient,
  request: Partial<RenderRequest> & { readonly url: string },
): Promise<string> {
  try {
    const page = await browser.render({ timeoutMs: 60_000, maxBytes: 1_000_000, ...request });
    return `${page.url} ${page.html
      .replaceAll(/<script[^]*?<\/script>|<[^>]+>/gu, ' ')
      .replaceAll(/\s+/gu, ' ')
      .trim()}`;
  } catch (error) {
    return ToolError.isInstance(error) ? `${error.type}/${error.reason ?? ''}` : String(error);
  } finally {
    await browser.close();
  }
}

const orNoBrowser = (expected: string): string =>
  CHROMIUM === undefined ? 'unsupported/no_browser' : expected;

test(
  'a page of scripts is read after they ran, at the URL that answered',
  { timeout: 180_000 },
  async () => {
    const server = await net.serve(
      serveRoutes({
        '/start': redirectTo('/app/'),
        '/app/': {
          headers: { 'content-type': 'text/html' },
          body: '<div id=a>empty</div><script>fetch("data.json").then((r) => r.json()).then((d) => { a.textContent = d.word; })</script>',
        },
        '/app/data.json': {
          headers: { 'content-type': 'application/json' },
          body: '{"word":"filled"}',
        },
      }),
    );
    const hosts = new Set<string>();
    const text = await rendered(browserFor(server), {
      url: 'http://public.test/start',
      onRequest: async ({ url }) => {
        hosts.add(url);
      },
    });
    expect(text).toBe(orNoBrowser('http://public.test/app/ filled'));
    expect([...hosts]).toEqual(
      CHROMIUM === undefined
        ? ['http://public.test/app/']
        : ['http://public.test/app/', 'http://public.test/app/data.json'],
    );
  },
);

test('nothing that a page does reaches a private address', { timeout: 180_000 }, async () => {
  const { endpoint } = net.canary;
  const server = await net.serve(
    serveRoutes({
      '/': {
        headers: { 'content-type': 'text/html' },
        body: `<link rel=prefetch href="http://${endpoint}/p"><link rel=preconnect href="http://${endpoint}"><img src="http://${endpoint}/i"><iframe src="http://${endpoint}/f"></iframe><img src="/into"><form id=f method=post action="/post"></form>
          <p id=o>start</p><script>
          for (const [name, key, rel] of [['iframe', 'src'], ['object', 'data'], ['embed', 'src'], ['video', 'src'], ['audio', 'src'], ['script', 'src'], ['link', 'href', 'stylesheet'], ['link', 'href', 'dns-prefetch'], ['link', 'href', 'manifest'], ['link', 'href', 'preload']]) {
            const element = document.createElement(name); if (rel) element.rel = rel; element[key] = 'http://${endpoint}/' + name; document.body.append(element);
          }
          try { new EventSource('http://${endpoint}/e'); } catch {}
          try { new Worker('data:text/javascript,fetch("http://${endpoint}/worker").catch(() => {}); importScripts("http://${endpoint}/import")'); } catch {}
          try { window.open('http://${endpoint}/popup'); } catch {}
          try { new WebTransport('https://${endpoint}/wt').ready.catch(() => {}); } catch {}
          const a = document.createElement('a'); a.href = '#x'; a.ping = 'http://${endpoint}/ping'; document.body.append(a); a.click();
          const tries = [fetch('http://${endpoint}/x'), fetch('/into'), fetch('/post', { method: 'POST' }), new Promise((_, no) => { const s = new WebSocket('ws://${endpoint}/w'); s.onclose = no; s.onerror = no; }), navigator.sendBeacon('http://${endpoint}/b') && Promise.reject()];
          Promise.allSettled(tries).then((all) => { o.textContent = all.map((t) => t.status).join(' '); });
          try { new RTCPeerConnection({ iceServers: [{ urls: 'stun:${endpoint}' }] }).createDataChannel('x'); } catch {}
          </script>`,
      },
      '/into': redirectTo(`http://${endpoint}/secret`),
      '/post': { body: 'posted' },
    }),
  );
  const text = await rendered(browserFor(server), { url: 'http://public.test/' });
  expect(text).toBe(
    orNoBrowser('http://public.test/#x rejected rejected rejected rejected rejected'),
  );
  expect(net.canary.connections).toBe(0);
  expect(server.requests.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('the page itself is judged before a browser sees anything', { timeout: 180_000 }, async () => {
  const server = await net.serve(
    serveRoutes({ '/out': redirectTo(`http://${net.canary.endpoint}/`) }),
  );
  const client = net.client(publicTest(server));
  for (const url of [
    `http://${net.canary.endpoint}/`,
    'http://public.test/out',
    'file:///etc/passwd',
  ]) {
    const browser = createBrowserClient({
      http: client,
      executablePath: CHROMIUM ?? '/nowhere/chromium',
      noSandbox: true,
    });
    expect(await rendered(browser, { url })).toBe(orNoBrowser('permission_denied/address_refused'));
  }
  expect(net.canary.connections).toBe(0);
});

test(
  'a page without end is taken as it is, a flood of requests is cut',
  { timeout: 180_000 },
  async () => {
    const server = await net.serve(
      serveRoutes({
        '/': {
          headers: { 'content-type': 'text/html' },
          body: `<p>there</p><script>let n = 0; setInterval(() => { for (const url of ['/x?' + n++, 'http://${net.canary.endpoint}/']) fetch(url).catch(() => {}); new WebSocket('ws://${net.canary.endpoint}/'); }, 5)</script>`,
        },
        '/x': { body: 'x' },
      }),
    );
    const text = await rendered(browserFor(server), {
      url: 'http://public.test/',
      timeoutMs: 60_000,
    });
    expect(text).toBe(orNoBrowser('http://public.test/ there'));
    expect(server.requests.length).toBeLessThanOrEqual(21);
    expect(net.canary.connections).toBe(0);
  },
);

test('without the binary the failure says what to install', async () => {
  const browser = createBrowserClient({ http: net.client(), executablePath: '/nowhere/chromium' });
  await expect(
    browser.render({ url: 'http://public.test/', timeoutMs: 1000, maxBytes: 1000 }),
  ).rejects.toMatchObject({
    type: 'unsupported',
    reason: 'no_browser',
    message: expect.stringContaining('playwright-core'),
  });
  await browser.close();
});
