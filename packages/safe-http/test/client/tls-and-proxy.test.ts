import { describe, expect, test } from 'vitest';
import { redirectTo, serveRoutes, TEST_CERTIFICATE } from '../../src/testing/index.ts';
import { outcome, PUBLIC, useTestNet } from '../support/test-client.ts';

const net = useTestNet();

describe('TLS', () => {
  test('the certificate is checked against the name in the URL, whatever was connected to', async () => {
    const { ca, cert, key } = TEST_CERTIFICATE;
    const server = await net.serve(serveRoutes({ '/': { body: 'safe' } }), {
      tls: { cert, key },
    });
    const options = {
      resolve: { 'secure.test': [PUBLIC], 'other.test': [PUBLIC] },
      connect: { [`${PUBLIC}:443`]: server.endpoint },
    };
    const trusting = net.client({ ...options, ca: [ca] });
    expect(await outcome(trusting, 'https://secure.test/')).toBe('200 safe');
    expect(await outcome(trusting, 'https://secure.test./')).toBe('200 safe');
    expect(await outcome(trusting, `https://${PUBLIC}/`)).toBe('200 safe');
    expect(await outcome(trusting, 'https://other.test/')).toBe('transport/tls');
    expect(await outcome(net.client(options), 'https://secure.test/')).toBe('transport/tls');
  });

  test('DOWN-021: a redirect from https to http is refused', async () => {
    const { ca, cert, key } = TEST_CERTIFICATE;
    const server = await net.serve(serveRoutes({ '/': redirectTo('http://secure.test/') }), {
      tls: { cert, key },
    });
    const downgraded = net.client({
      ca: [ca],
      resolve: { 'secure.test': [PUBLIC] },
      connect: { [`${PUBLIC}:443`]: server.endpoint, [`${PUBLIC}:80`]: net.canary.endpoint },
    });
    expect(await outcome(downgraded, 'https://secure.test/')).toBe('transport/insecure_redirect');
    expect(net.canary.connections).toBe(0);
  });
});

describe('a proxy', () => {
  test('is used only when configured; literal checks stay', async () => {
    const proxy = await net.serve(serveRoutes({ 'http://public.test/': { body: 'through' } }));
    process.env['HTTP_PROXY'] = `http://${net.canary.endpoint}`;
    process.env['http_proxy'] = `http://${net.canary.endpoint}`;
    try {
      const server = await net.serve(serveRoutes({ '/': { body: 'direct' } }));
      const direct = net.client({
        resolve: { 'public.test': [PUBLIC] },
        connect: { [`${PUBLIC}:80`]: server.endpoint },
      });
      expect(await outcome(direct, 'http://public.test/')).toBe('200 direct');
    } finally {
      delete process.env['HTTP_PROXY'];
      delete process.env['http_proxy'];
    }
    const proxied = net.client({ proxy: `http://${proxy.endpoint}` });
    expect(await outcome(proxied, 'http://public.test/')).toBe('200 through');
    expect(proxy.requests.map(({ target }) => target)).toEqual(['http://public.test/']);
    const port = String(net.canary.port);
    const refused = [
      `http://127.0.0.1:${port}/`,
      'http://169.254.169.254/',
      'http://localhost/',
      'http://metadata.google.internal/',
      'http://intranet/',
      'http://printer.local/',
      'http://public.test:22/',
      'ftp://public.test/',
    ];
    for (const url of refused) {
      expect([url, await outcome(proxied, url)]).toEqual([
        url,
        'permission_denied/address_refused',
      ]);
    }
    expect(proxy.requests.length).toBe(1);
    expect(net.canary.connections).toBe(0);
  });
});
