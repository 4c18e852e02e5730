import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { HttpRequest } from '@toolwright/core';
import { toTransportError } from '../../src/exchange/to-transport-error.ts';
import type { HostileBehaviour, HostileServer } from '../../src/testing/index.ts';
import { outcome, PUBLIC, publicTest, readAll, useTestNet } from '../support/test-client.ts';

const net = useTestNet();
const HONEST = 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nhonest';
const FORGED = 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged';

const ways: readonly (readonly [string, HttpRequest])[] = [
  ['ordinary', { url: 'http://public.test/' }],
  ['bulk', { url: 'http://public.test/', bulk: true, decompress: false }],
];

/** Answers the first request of a connection with `first`, every other one honestly. */
function firstOf(connection: number, first: HostileBehaviour): HostileBehaviour {
  return async (exchange) => {
    if (exchange.request.index === 0 && exchange.request.connection === connection) {
      await first(exchange);
      return;
    }
    await exchange.write(HONEST);
  };
}

describe.each(ways)('%s requests', (_name, request) => {
  test.each([
    ['behind the body', `${HONEST}${FORGED}`, '200 honest'],
    ['behind an empty body', `HTTP/1.1 204 No Content\r\n\r\n${FORGED}`, '204 '],
    [
      'behind a status without a body',
      `HTTP/1.1 304 No\r\ncontent-length: 6\r\n\r\n${FORGED}`,
      '304 ',
    ],
    [
      'behind the last chunk',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n6\r\nhonest\r\n0\r\n\r\n${FORGED}`,
      '200 honest',
    ],
    [
      'in trailers',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n6\r\nhonest\r\n0\r\ncontent-length: 99\r\nlocation: http://127.0.0.1/\r\n\r\n',
      '200 honest',
    ],
  ])(
    'an answer that nobody asked for, %s, is no answer to the next request',
    async (_where, bytes, expected) => {
      const server = await net.serve(
        firstOf(0, async (exchange) => {
          await exchange.write(bytes);
        }),
      );
      const client = net.client(publicTest(server));
      // undici refuses what it can see is no HTTP; either way nothing is mixed up.
      expect([expected, 'transport/protocol', 'transport/connection_lost']).toContain(
        await outcome(client, request),
      );
      expect(await outcome(client, request)).toBe('200 honest');
      expect(await outcome(client, request)).toBe('200 honest');
    },
  );

  test('nor is one that comes while the connection is idle', async () => {
    let forge = (): void => {};
    const server = await net.serve(
      firstOf(0, async (exchange) => {
        await exchange.write(HONEST);
        forge = () => {
          exchange.socket.write(FORGED);
        };
      }),
    );
    const client = net.client(publicTest(server));
    expect(await outcome(client, request)).toBe('200 honest');
    forge();
    await expect.poll(() => server.open, { interval: 5 }).toBe(0);
    expect(await outcome(client, request)).toBe('200 honest');
  });

  test('a kept connection that the server has given up costs no request', async () => {
    const server = await net.serve(async (exchange) => {
      if (exchange.request.index === 1) {
        exchange.reset();
        return;
      }
      await exchange.write(HONEST);
    });
    const client = net.client(publicTest(server));
    expect(await outcome(client, request)).toBe('200 honest');
    expect(await outcome(client, request)).toBe('200 honest');
    expect(server.requests.map(({ connection }) => connection)).toEqual([0, 0, 1]);
  });

  test('a new connection that breaks is no second request', async () => {
    const server = await net.serve((exchange) => {
      exchange.reset();
    });
    expect(await outcome(net.client(publicTest(server)), request)).toBe(
      'transport/connection_lost',
    );
    expect(server.requests).toHaveLength(1);
  });

  test('cancelling an answer that was read to its end leaves the kept connection alone', async () => {
    const server = await net.serve(async (exchange) => {
      await exchange.write(HONEST);
    });
    const client = net.client(publicTest(server));
    const first = await client.request(request);
    expect(Buffer.from(await readAll(first.body)).toString()).toBe('honest');
    const second = client.request(request);
    await first.cancel();
    expect(Buffer.from(await readAll((await second).body)).toString()).toBe('honest');
    expect(await outcome(client, request)).toBe('200 honest');
    expect(server.connections).toBe(1);
  });

  test('a few are kept, whatever the number of origins', async () => {
    const server = await net.serve(async (exchange) => {
      await exchange.write(HONEST);
    });
    const names = Array.from({ length: 60 }, (_, index) => `n${String(index)}.test`);
    const client = net.client({
      resolve: Object.fromEntries(names.map((name) => [name, [PUBLIC]])),
      connect: { [`${PUBLIC}:80`]: server.endpoint },
    });
    for (const name of names) {
      expect(await outcome(client, { ...request, url: `http://${name}/` })).toBe('200 honest');
    }
    await expect.poll(() => server.open, { interval: 5 }).toBeLessThanOrEqual(32);
  });
});

test.each([
  'not gzip',
  gzipSync('x'.repeat(1000)).subarray(0, 20),
  gzipSync(Buffer.alloc(8 << 20)),
])(
  'an answer that cannot be decoded, although it came whole, costs the next request nothing',
  async (body) => {
    const server = await net.serve(
      firstOf(0, async (exchange) => {
        const head = `content-encoding: gzip\r\ncontent-length: ${String(body.length)}`;
        await exchange.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`);
        await exchange.write(body);
      }),
    );
    const client = net.client(publicTest(server));
    const request = { url: 'http://public.test/', maxBodyBytes: 1 << 20 };
    expect(await outcome(client, request)).toMatch(/^(?:transport|limit_exceeded)\//u);
    for (let again = 0; again < 3; again += 1) {
      expect(await outcome(client, request)).toBe('200 honest');
    }
  },
);

test('a request that changes something is not sent twice', async () => {
  let server: HostileServer | undefined;
  const behaviour: HostileBehaviour = async (exchange) => {
    if (exchange.request.method === 'POST') {
      exchange.reset();
      return;
    }
    await exchange.write(HONEST);
  };
  server = await net.serve(behaviour);
  const client = net.client(publicTest(server));
  expect(await outcome(client, 'http://public.test/')).toBe('200 honest');
  const post = { url: 'http://public.test/', method: 'POST', body: Buffer.from('x') };
  expect(await outcome(client, post)).toBe('transport/connection_lost');
  expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
});

test('headers go out as one byte a character, whichever way they are sent', async () => {
  const server = await net.serve(async (exchange) => {
    await exchange.write(HONEST);
  });
  const client = net.client(publicTest(server));
  for (const [, request] of ways) {
    await outcome(client, { ...request, headers: { 'if-range': '"\u00e4"' } });
  }
  expect(server.requests.map(({ headers }) => headers['if-range'])).toEqual([
    '"\u00e4"',
    '"\u00e4"',
  ]);
});

test('a connection that does not come in time is told as such', () => {
  const error = toTransportError(new DOMException('late', 'TimeoutError'));
  expect(error).toMatchObject({ type: 'transport', reason: 'connect_failed', retryable: true });
});

test('a body that cannot be decoded costs its own request, and not the next one', async () => {
  const damaged = 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nnope';
  const server = await net.serve(async (exchange) => {
    await exchange.write(exchange.request.index % 2 === 0 ? damaged : HONEST);
  });
  const client = net.client(publicTest(server));
  for (let turn = 0; turn < 3; turn += 1) {
    const decoded = await outcome(client, { url: 'http://public.test/', method: 'POST' });
    expect(decoded).toMatch(/^transport\//);
    expect(await outcome(client, { url: 'http://public.test/', method: 'POST' })).toBe(
      '200 honest',
    );
  }
});
