import { once } from 'node:events';
import { createServer as createProxy } from 'node:http';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { HttpClient } from '@toolwright/core';
import { afterEach, describe, expect, test } from 'vitest';
import {
  redirectTo,
  responseHead,
  serveRoutes,
  TEST_CERTIFICATE,
} from '../../src/testing/index.ts';
import { outcome, PUBLIC, useTestNet } from '../support/test-client.ts';

const net = useTestNet();

/** The two ways in which requests are sent. */
const ways = [
  ['plain', {}],
  ['bulk', { bulk: true, decompress: false }],
] as const;

/** A connection that only ends when connecting takes too long, after ten seconds, has not ended in time. */
const BEFORE_CONNECT_TIMEOUT = { timeout: 5000 };

const HANDSHAKES: readonly (readonly [string, (socket: Socket) => void, string])[] = [
  ['hangs up', (socket) => socket.destroy(), 'transport/tls'],
  [
    'talks plainly',
    (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
    'transport/tls',
  ],
  ['stays silent', () => {}, 'timeout/'],
];

const listeners: Server[] = [];
afterEach(() => {
  for (const listener of listeners.splice(0)) {
    listener.close();
  }
});

/** A server that knows nothing of TLS. */
async function serveTcp(
  behave: (socket: Socket) => void,
): Promise<{ readonly endpoint: string; readonly open: number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.resume();
    behave(socket);
  });
  listeners.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens on a port: see above.
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `127.0.0.1:${String(port)}`,
    get open() {
      return sockets.size;
    },
  };
}

describe('TLS', () => {
  test.each(ways)(
    '%s: the certificate is checked against the name in the URL, whatever was connected to',
    async (_name, request) => {
      const { ca, cert, key } = TEST_CERTIFICATE;
      const server = await net.serve(serveRoutes({ '/': { body: 'safe' } }), {
        tls: { cert, key },
      });
      const options = {
        resolve: { 'secure.test': [PUBLIC], 'other.test': [PUBLIC] },
        connect: {
          [`${PUBLIC}:443`]: server.endpoint,
          '93.184.216.35:443': server.endpoint,
        },
      };
      const get = async (client: HttpClient, url: string) => outcome(client, { ...request, url });
      const trusting = net.client({ ...options, ca: [ca] });
      expect(await get(trusting, 'https://secure.test/')).toBe('200 safe');
      expect(await get(trusting, 'https://secure.test./')).toBe('200 safe');
      expect(await get(trusting, `https://${PUBLIC}/`)).toBe('200 safe');
      expect(await get(trusting, 'https://other.test/')).toBe('transport/tls');
      expect(await get(trusting, 'https://93.184.216.35/')).toBe('transport/tls');
      expect(await get(net.client(options), 'https://secure.test/')).toBe('transport/tls');
      await expect.poll(() => server.open).toBeLessThanOrEqual(3);
    },
  );

  test.each(ways)(
    "%s: a host's connector opens every socket, and TLS runs over whatever it gives",
    async (_name, request) => {
      const { ca, cert, key } = TEST_CERTIFICATE;
      const server = await net.serve(serveRoutes({ '/': { body: 'safe' } }), {
        tls: { cert, key },
      });
      const asked: string[] = [];
      const options = {
        ca: [ca],
        resolve: { 'secure.test': [PUBLIC], 'other.test': [PUBLIC] },
        connector: async ({ address, port }: { address: string; port: number }) => {
          asked.push(`${address}:${String(port)}`);
          return connect(server.port, '127.0.0.1');
        },
      };
      const client = net.client(options);
      expect(await outcome(client, { ...request, url: 'https://secure.test/' })).toBe('200 safe');
      expect(await outcome(client, { ...request, url: 'https://other.test/' })).toBe(
        'transport/tls',
      );
      expect(asked).toEqual([`${PUBLIC}:443`, `${PUBLIC}:443`]);
    },
  );

  test.each(
    ways.flatMap(([name, request]) =>
      HANDSHAKES.map(([what, behave, expected]) => ({ name, request, what, behave, expected })),
    ),
  )(
    '$name: a server that $what in the handshake',
    BEFORE_CONNECT_TIMEOUT,
    async ({ request, behave, expected }) => {
      const server = await serveTcp(behave);
      const client = net.client({
        resolve: { 'secure.test': [PUBLIC] },
        connect: { [`${PUBLIC}:443`]: server.endpoint },
      });
      const url = 'https://secure.test/';
      expect(await outcome(client, { ...request, url, timeoutMs: 200 })).toBe(expected);
      await expect.poll(() => server.open).toBe(0);
    },
  );

  test.each(ways)(
    '%s: closing the client ends a handshake too',
    BEFORE_CONNECT_TIMEOUT,
    async (_name, request) => {
      const server = await serveTcp(() => {});
      const client = net.client({
        resolve: { 'secure.test': [PUBLIC] },
        connect: { [`${PUBLIC}:443`]: server.endpoint },
      });
      const answer = outcome(client, { ...request, url: 'https://secure.test/' });
      await expect.poll(() => server.open).toBe(1);
      await client.close();
      expect(await answer).toMatch(/^transport\//u);
      await expect.poll(() => server.open).toBe(0);
    },
  );

  test.each(ways)('%s: a body that is cut below TLS is cut', async (_name, request) => {
    const { ca, cert, key } = TEST_CERTIFICATE;
    const server = await net.serve(
      async (exchange) => {
        await exchange.write(`${responseHead(200, { 'content-length': '100000' })}abc`);
        await exchange.pause(10_000);
      },
      { tls: { cert, key } },
    );
    // Passes everything on, and ends without a word once the beginning of the body has gone through.
    const relay = await serveTcp((socket) => {
      const inner = connect(server.port, '127.0.0.1');
      socket.pipe(inner).on('error', () => {});
      inner.on('data', (chunk) => {
        socket.write(chunk);
        if (server.requests.length > 0) {
          socket.end();
          socket.unpipe(inner).resume();
          inner.destroy();
        }
      });
    });
    const client = net.client({
      ca: [ca],
      resolve: { 'secure.test': [PUBLIC] },
      connect: { [`${PUBLIC}:443`]: relay.endpoint },
    });
    expect(await outcome(client, { ...request, url: 'https://secure.test/' })).toBe(
      'transport/connection_lost',
    );
    await expect.poll(() => relay.open).toBe(0);
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

  test('carries TLS to the host in the URL, checked by the authorities of the host and its own', async () => {
    const { ca, cert, key } = TEST_CERTIFICATE;
    const server = await net.serve(serveRoutes({ '/': { body: 'safe' } }), { tls: { cert, key } });
    const asked: string[] = [];
    const proxy = createProxy();
    proxy.on('connect', (request, socket) => {
      asked.push(request.url ?? '');
      const inner = connect(server.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(inner).pipe(socket);
      });
      inner.on('error', () => socket.destroy());
      socket.on('error', () => inner.destroy());
    });
    listeners.push(proxy);
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    // It listens on a port: see above.
    const { port } = proxy.address() as AddressInfo;
    const trusting = net.client({ ca: [ca], proxy: `http://127.0.0.1:${String(port)}` });
    for (const [, request] of ways) {
      expect(await outcome(trusting, { ...request, url: 'https://secure.test/' })).toBe('200 safe');
      expect(await outcome(trusting, { ...request, url: 'https://other.test/' })).toMatch(
        /^transport\//u,
      );
    }
    expect([...new Set(asked)]).toEqual(['secure.test:443', 'other.test:443']);
    const doubting = net.client({ proxy: `http://127.0.0.1:${String(port)}` });
    expect(await outcome(doubting, 'https://secure.test/')).toMatch(/^transport\//u);
  });
});
