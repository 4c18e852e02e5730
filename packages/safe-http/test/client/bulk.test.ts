import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MalformedHead, parseResponseHead } from '../../src/exchange/response-head.ts';
import {
  endlessBody,
  neverAnswers,
  responseHead,
  sendPlain,
  serveFile,
  TEST_CERTIFICATE,
} from '../../src/testing/index.ts';
import type { HostileBehaviour } from '../../src/testing/index.ts';
import { outcome, PUBLIC, publicTest, useTestNet } from '../support/test-client.ts';

const net = useTestNet();
const URL_UNDER_TEST = 'http://public.test/';
const BULK = { url: URL_UNDER_TEST, bulk: true, decompress: false };
const MIB = 1024 * 1024;

const raw =
  (bytes: string): HostileBehaviour =>
  async (exchange) => {
    await exchange.write(bytes);
    exchange.end();
  };

test('a large body arrives whole, in chunks that are valid until the next one', async () => {
  const bytes = Buffer.alloc(9 * MIB);
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index] = (index * 7919) >>> 5;
  }
  const server = await net.serve(serveFile({ bytes }));
  const response = await net.client(publicTest(server)).request(BULK);
  let received = 0;
  for await (const chunk of response.body) {
    expect(bytes.subarray(received, received + chunk.length).equals(chunk)).toBe(true);
    received += chunk.length;
    // Give the socket every chance to overwrite what is not given back yet.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect(bytes.subarray(received - chunk.length, received).equals(chunk)).toBe(true);
  }
  expect(received).toBe(bytes.length);
});

test('over TLS too, with the name checked', async () => {
  const { ca, cert, key } = TEST_CERTIFICATE;
  const bytes = Buffer.alloc(3 * MIB, 'tls');
  const server = await net.serve(serveFile({ bytes }), { tls: { cert, key } });
  const client = net.client({
    ca: [ca],
    resolve: { 'secure.test': [PUBLIC], 'other.test': [PUBLIC] },
    connect: { [`${PUBLIC}:443`]: server.endpoint },
  });
  expect(await outcome(client, { ...BULK, url: 'https://secure.test/' })).toBe(
    `200 ${bytes.toString()}`,
  );
  expect(await outcome(client, { ...BULK, url: 'https://other.test/' })).toBe('transport/tls');
});

test('a connection is kept after a whole body, and only then', async () => {
  const server = await net.serve(serveFile({ bytes: Buffer.from('abc') }));
  const client = net.client(publicTest(server));
  expect(await outcome(client, BULK)).toBe('200 abc');
  expect(await outcome(client, BULK)).toBe('200 abc');
  expect(server.connections).toBe(1);
  const dropped = await client.request(BULK);
  await dropped.cancel();
  await expect.poll(() => server.open).toBe(0);
  expect(await outcome(client, BULK)).toBe('200 abc');
  expect(server.connections).toBe(2);
  await client.close();
  await expect.poll(() => server.open).toBe(0);
  expect(await outcome(client, BULK)).toMatch(/^transport\//u);
});

test('the guard is the same', async () => {
  const client = net.client();
  expect(await outcome(client, { ...BULK, url: `http://${net.canary.endpoint}/` })).toBe(
    'permission_denied/address_refused',
  );
  expect(net.canary.connections).toBe(0);
});

describe('answers', () => {
  const rows: readonly (readonly [name: string, bytes: string, expected: string])[] = [
    ['garbage', 'SSH-2.0-OpenSSH_9.9\r\n\r\n', 'transport/protocol'],
    ['nothing', '', 'transport/connection_lost'],
    ['half a head', 'HTTP/1.1 200 OK\r\ncontent-le', 'transport/connection_lost'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
      'transport/protocol',
    ],
    [
      'length and chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'transport/protocol',
    ],
    ['a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n', 'transport/protocol'],
    [
      'a length with a sign',
      'HTTP/1.1 200 OK\r\ncontent-length: +3\r\n\r\nabc',
      'transport/protocol',
    ],
    [
      'a folded header',
      'HTTP/1.1 200 OK\r\na: b\r\n c\r\ncontent-length: 1\r\n\r\nx',
      'transport/protocol',
    ],
    [
      'a space before the colon',
      'HTTP/1.1 200 OK\r\ncontent-length : 1\r\n\r\nx',
      'transport/protocol',
    ],
    ['a bare line feed', 'HTTP/1.1 200 OK\ncontent-length: 1\r\n\r\nx', 'transport/protocol'],
    [
      'a NUL in a header',
      'HTTP/1.1 200 OK\r\na: \u0000\r\ncontent-length: 1\r\n\r\nx',
      'transport/protocol',
    ],
    ['another protocol', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n', 'transport/protocol'],
    ['another version', 'HTTP/2 200\r\n\r\n', 'transport/protocol'],
    ['a cut body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', 'transport/connection_lost'],
    ['more than declared', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabcdef', '200 abc'],
    [
      'equal lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 3\r\nContent-Length: 3\r\n\r\nabc',
      'transport/protocol',
    ],
    [
      'a close-delimited body',
      'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n[1,2,3]',
      '200 [1,2,3]',
    ],
    [
      'hints before',
      'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx',
      '200 x',
    ],
    ['204', 'HTTP/1.1 204 No Content\r\n\r\n', '204 '],
    [
      'another coding',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      'transport/protocol',
    ],
    [
      'chunks with all that is allowed',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n3;a=b\r\nabc\r\n0A\r\n0123456789\r\n0\r\nx: y\r\n\r\n',
      '200 abc0123456789',
    ],
    [
      'a bad size',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n',
      'transport/protocol',
    ],
    [
      'a size with a sign',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n+3\r\nabc\r\n0\r\n\r\n',
      'transport/protocol',
    ],
    [
      'a chunk that is too long',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n',
      'transport/protocol',
    ],
    [
      'bare line feeds in chunks',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\nabc\n0\n\n',
      'transport/protocol',
    ],
    [
      'a cut chunk',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab',
      'transport/connection_lost',
    ],
    [
      'a head and a body in one word',
      'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc',
      '200 ',
    ],
    [
      'continue, though nobody waits',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx',
      '200 x',
    ],
    [
      'a size beyond all numbers',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\nabc',
      'transport/protocol',
    ],
    [
      'a folded trailer',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nx: y\r\n z\r\n\r\n',
      '200 abc',
    ],
    [
      'trailers without end',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n${'x: y\r\n'.repeat(5000)}`,
      'transport/protocol',
    ],
    [
      'an extension without end',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;${'x'.repeat(10_000)}`,
      'transport/protocol',
    ],
    [
      'two codings in two lines',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'transport/protocol',
    ],
    [
      'a bare carriage return in a header',
      'HTTP/1.1 200 OK\r\na: b\rc: d\r\ncontent-length: 1\r\n\r\nx',
      'transport/protocol',
    ],
    ['a body behind 304', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 3\r\n\r\nabc', '304 '],
    [
      'no last chunk',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n',
      'transport/connection_lost',
    ],
    [
      'chunks',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
      '200 abc',
    ],
  ];

  test.each(rows)('%s', async (_name, bytes, expected) => {
    const server = await net.serve(raw(bytes));
    expect(await outcome(net.client(publicTest(server)), BULK)).toBe(expected);
    await expect.poll(() => server.open).toBe(0);
  });

  test('a reset, an endless header, an endless body and a stall are typed', async () => {
    const cases: readonly (readonly [HostileBehaviour, object, string])[] = [
      [(exchange) => exchange.reset(), {}, 'transport/connection_lost'],
      [
        endlessBody(Buffer.from('x: y\r\n')),
        { maxBodyBytes: 50_000 },
        'limit_exceeded/body_too_large',
      ],
      [
        async (exchange) => {
          await exchange.write('HTTP/1.1 200 OK\r\n');
          while (await exchange.write(Buffer.from('xxxx: yyyy\r\n'.repeat(100)))) {
            // Until the client hangs up.
          }
        },
        {},
        'limit_exceeded/header_too_large',
      ],
      [
        async (exchange) => {
          while (await exchange.write('HTTP/1.1 103 Early Hints\r\n\r\n')) {
            // Until the client hangs up.
          }
        },
        {},
        'limit_exceeded/header_too_large',
      ],
      [neverAnswers, { timeoutMs: 80 }, 'timeout/'],
      [
        async (exchange) => {
          await exchange.write(`${responseHead(200, { 'content-length': '10' })}123`);
          await neverAnswers(exchange);
        },
        { timeoutMs: 80 },
        'timeout/',
      ],
    ];
    for (const [behaviour, options, expected] of cases) {
      const server = await net.serve(behaviour);
      expect(
        await outcome(net.client(publicTest(server)), { ...BULK, maxBodyBytes: MIB, ...options }),
      ).toBe(expected);
      await expect.poll(() => server.open).toBe(0);
    }
  });

  test('cancelling ends the connection', async () => {
    for (const behaviour of [neverAnswers, endlessBody(Buffer.alloc(4096))]) {
      const server = await net.serve(behaviour);
      const controller = new AbortController();
      const answer = outcome(net.client(publicTest(server)), {
        ...BULK,
        signal: controller.signal,
      });
      await expect.poll(() => server.requests.length).toBe(1);
      controller.abort();
      expect(await answer).toBe('cancelled/');
      await expect.poll(() => server.open).toBe(0);
    }
  });
});

test(
  'property: any head is read as undici reads it, or refused where it is lax',
  { timeout: 60_000 },
  async () => {
    let head = '';
    const server = await net.serve(async (exchange) => {
      await exchange.write(Buffer.from(head, 'latin1'));
      exchange.end();
    });
    const client = net.client(publicTest(server));
    const line = fc.constantFrom(
      'content-length: 3',
      'Content-Length: 3',
      'content-length: 2',
      'content-length: 3, 3',
      'content-length:3 ',
      'content-length: 0x3',
      'connection: close',
      'connection: keep-alive',
      'x: y',
      'x:',
      'x : y',
      ' folded',
      'no colon',
      ': empty',
      'x: \u00e4',
      'x: a\tb',
      'etag: "a"',
    );
    const start = fc.constantFrom(
      'HTTP/1.1 200 OK',
      'HTTP/1.1 200',
      'HTTP/1.0 200 OK',
      'HTTP/1.1 206 ',
      'HTTP/1.1  200',
      'HTTP/1.1 2000 X',
      'http/1.1 200 OK',
      'HTTP/1.1 404 \u00e4',
    );
    await fc.assert(
      fc.asyncProperty(start, fc.array(line, { maxLength: 4 }), async (first, lines) => {
        head = `${[first, ...lines].join('\r\n')}\r\n\r\nabc`;
        const bulk = await outcome(client, BULK);
        const other = await outcome(client, { ...BULK, bulk: false });
        expect({ head, isEqual: bulk === other || bulk === 'transport/protocol' }).toEqual({
          head,
          isEqual: true,
        });
      }),
      { numRuns: 250 },
    );
  },
);

test('property: reading a head never fails in another way than by its error', () => {
  const read = (text: string): unknown => {
    try {
      return parseResponseHead(`HTTP/1.1 200 OK\r\n${text}`).status;
    } catch (error) {
      return error instanceof MalformedHead ? 'malformed' : error;
    }
  };
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect([200, 'malformed']).toContain(read(text));
    }),
  );
});

test('an honest answer after a kept connection died is still an answer', async () => {
  let isClosing = true;
  const server = await net.serve(async (exchange) => {
    await sendPlain(exchange, { body: 'abc' });
    if (isClosing) {
      exchange.end();
    }
  });
  const client = net.client(publicTest(server));
  expect(await outcome(client, BULK)).toBe('200 abc');
  await expect.poll(() => server.open).toBe(0);
  isClosing = false;
  expect(await outcome(client, BULK)).toBe('200 abc');
});
