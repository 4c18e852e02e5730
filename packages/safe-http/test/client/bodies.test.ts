import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { endlessBody, neverAnswers, responseHead, sendPlain } from '../../src/testing/index.ts';
import type { HostileBehaviour } from '../../src/testing/index.ts';
import { outcome, publicTest, readAll, useTestNet } from '../support/test-client.ts';

const net = useTestNet();
const URL_UNDER_TEST = 'http://public.test/';
const MIB = 1024 * 1024;

async function fetchFrom(behaviour: HostileBehaviour, options: object = {}): Promise<string> {
  const server = await net.serve(behaviour);
  return outcome(net.client(publicTest(server)), { url: URL_UNDER_TEST, ...options });
}

const raw =
  (bytes: string): HostileBehaviour =>
  async (exchange) => {
    await exchange.write(bytes);
    exchange.end();
  };

const coded =
  (coding: string, body: Uint8Array): HostileBehaviour =>
  async (exchange) =>
    sendPlain(exchange, { body, headers: { 'content-encoding': coding } });

const sized =
  (size: number): HostileBehaviour =>
  async (exchange) => {
    await exchange.write(responseHead(200, { connection: 'close' }));
    await exchange.write(Buffer.alloc(size, 'x'));
    exchange.end();
  };

describe('content codings', () => {
  const text = 'The quick brown fox. '.repeat(200);

  test.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
    ['identity, gzip', gzipSync(text)],
    ['identity', Buffer.from(text)],
    ['', Buffer.from(text)],
  ])('%s is undone', async (coding, body) => {
    const answer = await fetchFrom(async (exchange) =>
      sendPlain(exchange, { body, headers: { 'content-encoding': coding } }),
    );
    expect(answer).toBe(`200 ${text}`);
  });

  test('DOWN-008: the length of a compressed response is not compared with the decoded one', async () => {
    const body = gzipSync('x'.repeat(1000));
    const answer = await fetchFrom(async (exchange) =>
      sendPlain(exchange, { body, headers: { 'content-encoding': 'gzip' } }),
    );
    expect(answer).toBe(`200 ${'x'.repeat(1000)}`);
  });

  test('are left alone when the caller wants the bytes, and identity is asked for', async () => {
    const body = gzipSync(text);
    const server = await net.serve(async (exchange) =>
      sendPlain(exchange, { body, headers: { 'content-encoding': 'gzip' } }),
    );
    const response = await net
      .client(publicTest(server))
      .request({ url: URL_UNDER_TEST, decompress: false });
    expect(Buffer.from(await readAll(response.body)).equals(body)).toBe(true);
    expect(response.headers['content-encoding']).toBe('gzip');
    expect(server.requests[0]?.headers['accept-encoding']).toBe('identity');
  });

  test('unknown, too many, damaged and cut ones are typed failures', async () => {
    expect(await fetchFrom(coded('zstd', Buffer.from('x')))).toBe('unsupported/content_encoding');
    expect(await fetchFrom(coded('gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(text)))))).toBe(
      'unsupported/content_encoding',
    );
    expect(await fetchFrom(coded('gzip', Buffer.from('no gzip at all')))).toBe(
      'transport/protocol',
    );
    expect(await fetchFrom(coded('br', Buffer.from('no brotli at all')))).toBe(
      'transport/protocol',
    );
    expect(await fetchFrom(coded('gzip', gzipSync(text).subarray(0, 40)))).toBe(
      'transport/protocol',
    );
  });

  test('an empty body with a coding is empty', async () => {
    expect(
      await fetchFrom(async (exchange) =>
        sendPlain(exchange, { body: '', headers: { 'content-encoding': 'gzip' } }),
      ),
    ).toBe('200 ');
  });
});

describe('FETCH-005: a bomb', () => {
  const zeros = Buffer.alloc(64 * MIB);
  const bombs: readonly [string, Uint8Array][] = [
    ['gzip', gzipSync(zeros)],
    ['br', brotliCompressSync(zeros)],
    ['deflate', deflateSync(zeros)],
    ['gzip, gzip', gzipSync(gzipSync(zeros))],
  ];

  test.each(bombs)('%s ends at the cap, with and without length', async (coding, body) => {
    for (const framing of [{ 'content-length': String(body.length) }, { connection: 'close' }]) {
      const server = await net.serve(async (exchange) => {
        await exchange.write(responseHead(200, { 'content-encoding': coding, ...framing }));
        await exchange.write(body);
        exchange.end();
      });
      const before = process.memoryUsage().rss;
      const answer = await outcome(net.client(publicTest(server)), {
        url: URL_UNDER_TEST,
        maxBodyBytes: 5 * MIB,
      });
      expect(answer).toMatch(/^limit_exceeded\/(?:body_too_large|decompression_ratio)$/u);
      expect(process.memoryUsage().rss - before).toBeLessThan(60 * MIB);
      await expect.poll(() => server.open).toBe(0);
    }
  });

  test('is ended by its ratio even under a generous cap', async () => {
    const answer = await fetchFrom(
      async (exchange) =>
        sendPlain(exchange, { body: gzipSync(zeros), headers: { 'content-encoding': 'gzip' } }),
      { maxBodyBytes: 1024 * MIB },
    );
    expect(answer).toBe('limit_exceeded/decompression_ratio');
  });
});

describe('caps', () => {
  test('a declared body over the cap is refused after the headers', async () => {
    const server = await net.serve(async (exchange) => {
      await exchange.write(responseHead(200, { 'content-length': String(50 * MIB) }));
    });
    expect(
      await outcome(net.client(publicTest(server)), { url: URL_UNDER_TEST, maxBodyBytes: MIB }),
    ).toBe('limit_exceeded/body_too_large');
    await expect.poll(() => server.open).toBe(0);
  });

  test('an endless body is ended at the cap, chunked or not', async () => {
    const chunk = Buffer.alloc(16 * 1024, 'x');
    const chunked = Buffer.concat([Buffer.from('4000\r\n'), chunk, Buffer.from('\r\n')]);
    for (const behaviour of [
      endlessBody(chunk),
      endlessBody(chunked, { 'transfer-encoding': 'chunked' }),
    ]) {
      const server = await net.serve(behaviour);
      expect(
        await outcome(net.client(publicTest(server)), { url: URL_UNDER_TEST, maxBodyBytes: MIB }),
      ).toBe('limit_exceeded/body_too_large');
      await expect.poll(() => server.open).toBe(0);
    }
  });

  test('exactly the cap passes, one byte more does not', async () => {
    expect(await fetchFrom(sized(1000), { maxBodyBytes: 1000 })).toBe(`200 ${'x'.repeat(1000)}`);
    expect(await fetchFrom(sized(1001), { maxBodyBytes: 1000 })).toBe(
      'limit_exceeded/body_too_large',
    );
  });

  test('headers have a cap', async () => {
    const head = `HTTP/1.1 200 OK\r\nx-big: ${'a'.repeat(70_000)}\r\ncontent-length: 0\r\n\r\n`;
    expect(await fetchFrom(raw(head))).toBe('limit_exceeded/header_too_large');
    const many = `HTTP/1.1 200 OK\r\n${'xxxx: yyyy\r\n'.repeat(20_000)}\r\n`;
    expect(await fetchFrom(raw(many))).toBe('limit_exceeded/header_too_large');
  });
});

describe('time and cancellation', () => {
  test.each<[string, HostileBehaviour]>([
    ['no answer', neverAnswers],
    [
      'half a header',
      async (exchange) => {
        await exchange.write('HTTP/1.1 200 OK\r\ncontent-le');
        await neverAnswers(exchange);
      },
    ],
    [
      'a stalled body',
      async (exchange) => {
        await exchange.write(`${responseHead(200, { 'content-length': '10' })}123`);
        await neverAnswers(exchange);
      },
    ],
    [
      'a body in drops',
      async (exchange) => {
        await exchange.write(responseHead(200, { connection: 'close' }));
        while (await exchange.pause(5)) {
          await exchange.write('x');
        }
      },
    ],
    [
      'endless early hints',
      async (exchange) => {
        while (await exchange.pause(5)) {
          await exchange.write('HTTP/1.1 103 Early Hints\r\n\r\n');
        }
      },
    ],
  ])('%s runs into the limit of the whole exchange', async (_name, behaviour) => {
    const server = await net.serve(behaviour);
    const answer = await outcome(net.client(publicTest(server)), {
      url: URL_UNDER_TEST,
      timeoutMs: 100,
    });
    expect(answer).toBe('timeout/');
    await expect.poll(() => server.open).toBe(0);
  });

  test('cancelling ends the connection, before the head, in the body, and before the start', async () => {
    for (const behaviour of [neverAnswers, endlessBody(Buffer.alloc(4096))]) {
      const server = await net.serve(behaviour);
      const controller = new AbortController();
      const answer = outcome(net.client(publicTest(server)), {
        url: URL_UNDER_TEST,
        signal: controller.signal,
      });
      await expect.poll(() => server.requests.length).toBe(1);
      controller.abort();
      expect(await answer).toBe('cancelled/');
      await expect.poll(() => server.open).toBe(0);
    }
    const server = await net.serve(neverAnswers);
    const answer = await outcome(net.client(publicTest(server)), {
      url: URL_UNDER_TEST,
      signal: AbortSignal.abort(),
    });
    expect(answer).toBe('cancelled/');
    expect(server.connections).toBe(0);
  });

  test('a resolver that hangs does not hold the request', async () => {
    const hanging = net.client({ resolver: async () => new Promise<never>(() => {}) });
    expect(await outcome(hanging, { url: URL_UNDER_TEST, timeoutMs: 50 })).toBe('timeout/');
  });

  test('dropping a body ends the connection', async () => {
    const server = await net.serve(endlessBody(Buffer.alloc(1000)));
    const client = net.client(publicTest(server));
    const cancelled = await client.request({ url: URL_UNDER_TEST });
    await cancelled.cancel();
    await cancelled.cancel();
    const left = await client.request({ url: URL_UNDER_TEST });
    for await (const chunk of left.body) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    await expect.poll(() => server.open).toBe(0);
  });
});

describe('answers that are no HTTP', () => {
  test.each([
    ['garbage', 'SSH-2.0-OpenSSH_9.9\r\n', 'transport/protocol'],
    ['nothing', '', 'transport/connection_lost'],
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
      'a bad chunk',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n',
      'transport/protocol',
    ],
    ['a cut body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', 'transport/connection_lost'],
    [
      'a cut chunk',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab',
      'transport/connection_lost',
    ],
    ['more than declared', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabcdef', '200 abc'],
    [
      'a close-delimited body',
      'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n[1,2,3]',
      '200 [1,2,3]',
    ],
    ['204', 'HTTP/1.1 204 No Content\r\n\r\n', '204 '],
  ])('%s', async (_name, bytes, expected) => {
    expect(await fetchFrom(raw(bytes))).toBe(expected);
  });

  test('a reset is a lost connection', async () => {
    expect(
      await fetchFrom((exchange) => {
        exchange.reset();
      }),
    ).toBe('transport/connection_lost');
    expect(
      await fetchFrom(async (exchange) => {
        await exchange.write(`${responseHead(200, { 'content-length': '10' })}abc`);
        await exchange.pause(20);
        exchange.reset();
      }),
    ).toBe('transport/connection_lost');
  });
});

describe('what a caller cannot send', () => {
  test.each([
    [{ headers: { Host: 'x' } }, 'invalid_argument/bad_header'],
    [{ headers: { 'Transfer-Encoding': 'chunked' } }, 'invalid_argument/bad_header'],
    [{ headers: { 'content-length': '5' } }, 'invalid_argument/bad_header'],
    [{ headers: { 'a b': 'x' } }, 'invalid_argument/bad_header'],
    [{ headers: { a: 'x\r\ny: z' } }, 'invalid_argument/bad_header'],
    [{ headers: { a: 'x\u0000' } }, 'invalid_argument/bad_header'],
    [{ headers: { a: '日本' } }, 'invalid_argument/bad_header'],
    [{ headers: { a: 'x', A: 'y' } }, 'invalid_argument/bad_header'],
    [{ method: 'CONNECT' }, 'invalid_argument/bad_method'],
    [{ method: 'G ET' }, 'invalid_argument/bad_method'],
    [{ method: '' }, 'invalid_argument/bad_method'],
  ])('%j', async (request, expected) => {
    expect(await outcome(net.client(), { url: URL_UNDER_TEST, ...request })).toBe(expected);
  });
});

test('a closed client sends nothing more', async () => {
  const server = await net.serve(async (exchange) => sendPlain(exchange, { body: 'x' }));
  const client = net.client(publicTest(server));
  expect(await outcome(client, URL_UNDER_TEST)).toBe('200 x');
  await client.close();
  await client.close();
  expect(await outcome(client, URL_UNDER_TEST)).toMatch(/^transport\//u);
  await expect.poll(() => server.open).toBe(0);
});
