import { describe, expect, test } from 'vitest';
import { redirectTo, serveFile, serveRoutes } from '@toolwright/safe-http/testing';
import type { FileFault, HostileExchange, HostileServer } from '@toolwright/safe-http/testing';
import { noise, outcomeOf, sha256, useDownloadBench } from './support/test-session.ts';

const bench = useDownloadBench();
const STRONG = { etag: '"v1"' };
const DIGITS = Buffer.from('0123456789');

const rangesOf = (server: HostileServer): readonly (string | undefined)[] =>
  server.requests.map(({ headers }) => headers['range']);

/** A fault for the n-th request (0-based) alone; the probe is number 0. */
const onRequest =
  (faults: Readonly<Record<number, FileFault>>) =>
  ({ request }: HostileExchange): FileFault | undefined =>
    faults[request.index];

describe('inside one call', () => {
  test('an interrupted body goes on where it stopped', async () => {
    const bytes = noise(200_000);
    const { download, files, server } = await bench(
      serveFile({
        bytes,
        headers: STRONG,
        fault: onRequest({ 1: { cutAfter: 50_000 }, 2: { cutAfter: 70_000 } }),
      }),
    );
    const result = await download('/f', { expected_sha256: sha256(bytes) });
    expect(outcomeOf(result)).toBe('ok');
    expect(await files()).toEqual({ f: bytes.toString('latin1') });
    expect(rangesOf(server)).toEqual(['bytes=0-0', undefined, 'bytes=50000-', 'bytes=120000-']);
    expect(server.requests.slice(2).map(({ headers }) => headers['if-range'])).toEqual([
      '"v1"',
      '"v1"',
    ]);
  });

  test('three attempts in all, then the failure', async () => {
    const { download, files, server } = await bench(
      serveFile({
        bytes: DIGITS,
        headers: STRONG,
        fault: ({ request }) => (request.index === 0 ? undefined : { cutAfter: 2 }),
      }),
    );
    expect(outcomeOf(await download('/f'))).toBe('transport/connection_lost');
    expect(rangesOf(server)).toEqual(['bytes=0-0', undefined, 'bytes=2-', 'bytes=4-']);
    expect(await files()).toEqual({});
  });

  test('DOWN-005: a weak tag is not used, and without a strong validator the file begins again', async () => {
    for (const headers of [
      { etag: 'W/"5a-f67"' },
      {
        etag: 'W/"5a-f67"',
        'last-modified': 'Mon, 30 Nov 2026 12:00:00 GMT',
        date: 'Mon, 30 Nov 2026 12:00:00 GMT',
      },
      { etag: 'unquoted' },
    ]) {
      const { download, files, server } = await bench(
        serveFile({ bytes: DIGITS, headers, fault: onRequest({ 1: { cutAfter: 5 } }) }),
      );
      expect(outcomeOf(await download('/f'))).toBe('ok');
      expect(await files()).toEqual({ f: '0123456789' });
      expect(rangesOf(server)).toEqual(['bytes=0-0', undefined, undefined]);
      expect(server.requests.map(({ headers: sent }) => sent['if-range'])).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    }
  });

  test('DOWN-005: a date that is strong is used', async () => {
    const headers = {
      etag: 'W/"x"',
      'last-modified': 'Mon, 30 Nov 2026 11:00:00 GMT',
      date: 'Mon, 30 Nov 2026 12:00:00 GMT',
    };
    const { download, files, server } = await bench(
      serveFile({ bytes: DIGITS, headers, fault: onRequest({ 1: { cutAfter: 5 } }) }),
    );
    expect(outcomeOf(await download('/f'))).toBe('ok');
    expect(await files()).toEqual({ f: '0123456789' });
    expect(server.requests[2]?.headers['if-range']).toBe('Mon, 30 Nov 2026 11:00:00 GMT');
  });

  test('DOWN-002: a part that starts elsewhere than asked is not put behind what is there', async () => {
    for (const shiftRange of [-2, 2]) {
      const { download, files } = await bench(
        serveFile({
          bytes: DIGITS,
          headers: STRONG,
          fault: onRequest({ 1: { cutAfter: 6 }, 2: { shiftRange } }),
        }),
      );
      expect(outcomeOf(await download('/f', { expected_sha256: sha256(DIGITS) }))).toBe('ok');
      expect(await files()).toEqual({ f: '0123456789' });
    }
  });

  test.each([
    'bytes 0-9/10',
    'bytes=6-9/10',
    'bytes 6-9/*',
    '',
    'bytes 6-3/10',
    'bytes 6-9/8',
    'bytes 6-9/11',
    'bytes 6-8/10',
    'bytes */10',
    'items 6-9/10',
  ])('DOWN-003: Content-Range %j never makes a wrong file', async (contentRange) => {
    const { download, files } = await bench(
      serveFile({
        bytes: DIGITS,
        headers: STRONG,
        fault: onRequest({ 1: { cutAfter: 6 }, 2: { contentRange } }),
      }),
    );
    expect(outcomeOf(await download('/f'))).toBe('ok');
    expect(await files()).toEqual({ f: '0123456789' });
  });

  test('a file that changed meanwhile is taken anew', async () => {
    const newer = Buffer.from('abcdefghij');
    const { download, files } = await bench(async (exchange) => {
      const isChanged = exchange.request.index >= 2;
      await serveFile({
        bytes: isChanged ? newer : DIGITS,
        headers: { etag: isChanged ? '"v2"' : '"v1"' },
        fault: onRequest({ 1: { cutAfter: 6 } }),
      })(exchange);
    });
    expect(outcomeOf(await download('/f'))).toBe('ok');
    expect(await files()).toEqual({ f: 'abcdefghij' });
  });

  test('DOWN-007: a coded part is never put behind plain bytes', async () => {
    const { download, files, server } = await bench(
      serveFile({
        bytes: DIGITS,
        headers: STRONG,
        fault: onRequest({ 1: { cutAfter: 6 }, 2: { headers: { 'content-encoding': 'gzip' } } }),
      }),
    );
    expect(outcomeOf(await download('/f', { expected_sha256: sha256(DIGITS) }))).toBe('ok');
    expect(await files()).toEqual({ f: '0123456789' });
    expect(new Set(server.requests.map(({ headers }) => headers['accept-encoding']))).toEqual(
      new Set(['identity']),
    );
  });
});

describe('across calls', () => {
  test('DOWN-022: a cancelled download goes on from what it had', async () => {
    const bytes = noise(100_000);
    const { download, files, server, taken } = await bench(
      serveRoutes({
        '/get': redirectTo('/f'),
        '/f': serveFile({ bytes, headers: STRONG, fault: onRequest({ 2: { dripBytes: 1000 } }) }),
      }),
    );
    const controller = new AbortController();
    const first = download('/get', { resume: true, file_path: 'f' }, { signal: controller.signal });
    await expect.poll(taken, { interval: 5 }).toBeGreaterThan(5000);
    controller.abort();
    expect(outcomeOf(await first)).toBe('cancelled/');
    expect(await files()).toEqual({});
    await expect.poll(() => server.open).toBe(0);
    const before = server.requests.length;
    const second = await download('/get', {
      resume: true,
      file_path: 'f',
      expected_sha256: sha256(bytes),
    });
    expect(outcomeOf(second)).toBe('ok');
    expect(await files()).toEqual({ f: bytes.toString('latin1') });
    const resumedFrom = Number(second.metadata['resumed_from']);
    expect(resumedFrom).toBeGreaterThan(0);
    const last = server.requests.slice(before).at(-1);
    expect(last?.headers['range']).toBe(`bytes=${String(resumedFrom)}-`);
    expect(last?.headers['if-range']).toBe('"v1"');
  });

  test('a broken download goes on when both calls say so, and only then', async () => {
    const { download, files, server } = await bench(
      serveFile({
        bytes: DIGITS,
        headers: STRONG,
        fault: onRequest({ 1: { cutAfter: 4 }, 2: { cutAfter: 0 }, 3: { cutAfter: 0 } }),
      }),
    );
    expect(outcomeOf(await download('/f', { resume: true }))).toBe('transport/connection_lost');
    const before = server.requests.length;
    const result = await download('/f', { resume: true });
    expect(result.metadata).toMatchObject({ resumed_from: 4, bytes: 10 });
    expect(rangesOf(server).slice(before)).toEqual(['bytes=0-0', 'bytes=4-']);
    expect(await files()).toEqual({ f: '0123456789' });
  });

  test('a file that changed between the calls begins again', async () => {
    let version = 1;
    const { download, files, server } = await bench(async (exchange) =>
      serveFile({
        bytes: version === 1 ? DIGITS : Buffer.from('abcdefghij'),
        headers: { etag: `"v${String(version)}"` },
        fault: ({ request }) =>
          version === 1 && request.headers['range'] !== 'bytes=0-0' ? { cutAfter: 1 } : undefined,
      })(exchange),
    );
    expect(outcomeOf(await download('/f', { resume: true }))).toBe('transport/connection_lost');
    version = 2;
    const before = server.requests.length;
    const result = await download('/f', { resume: true });
    expect(result.metadata['resumed_from']).toBe(0);
    expect(rangesOf(server).slice(before)).toEqual(['bytes=0-0', undefined]);
    expect(await files()).toEqual({ f: 'abcdefghij' });
  });

  test('DOWN-012: all bytes there and 416 is a complete file', async () => {
    const { download, files, server } = await bench(
      serveFile({
        bytes: DIGITS,
        headers: STRONG,
        // All ten bytes arrive, but the answer does not end as it should, and then the server is down.
        fault: onRequest({
          1: { chunked: true, cutAfter: 10, surplus: 1 },
          2: { status: 500 },
          3: { status: 500 },
        }),
      }),
    );
    expect(outcomeOf(await download('/f', { resume: true }))).toMatch(/^transport\//u);
    expect(await files()).toEqual({});
    const before = server.requests.length;
    const second = await download('/f', { resume: true, expected_sha256: sha256(DIGITS) });
    expect(second.metadata).toMatchObject({ resumed_from: 10, bytes: 10 });
    expect(rangesOf(server).slice(before)).toEqual(['bytes=0-0', 'bytes=10-']);
    expect(await files()).toEqual({ f: '0123456789' });
  });

  test('without resume nothing is kept', async () => {
    const { download, server } = await bench(
      serveFile({
        bytes: DIGITS,
        headers: STRONG,
        fault: onRequest({ 1: { cutAfter: 4 }, 2: { cutAfter: 0 }, 3: { cutAfter: 0 } }),
      }),
    );
    expect(outcomeOf(await download('/f'))).toBe('transport/connection_lost');
    const before = server.requests.length;
    expect((await download('/f', { resume: true })).metadata['resumed_from']).toBe(0);
    expect(rangesOf(server).slice(before)).toEqual(['bytes=0-0', undefined]);
  });
});

describe('in parts', () => {
  const MIB = 1024 * 1024;
  const bytes = noise(8 * MIB);
  const digest = sha256(bytes);
  const whole = { connections: 4, expected_sha256: digest };

  test('a part that breaks off goes on by itself', async () => {
    const { download, server } = await bench(
      serveFile({
        bytes,
        headers: STRONG,
        fault: onRequest({ 2: { cutAfter: 300_000 }, 3: { resetAfter: 100_000 } }),
      }),
    );
    const result = await download('/f', whole);
    expect(result.metadata).toMatchObject({ strategy: 'parallel_range', sha256: digest });
    expect(server.requests.length).toBe(7);
  });

  test.each<[string, FileFault]>([
    ['the whole file', { ignoreRange: true }],
    ['another part', { shiftRange: 4096 }],
    ['a lie', { contentRange: `bytes 0-${String(8 * MIB - 1)}/${String(8 * MIB)}` }],
    ['no Content-Range', { contentRange: '' }],
    ['a coded part', { headers: { 'content-encoding': 'gzip' } }],
  ])('%s instead of the part means one whole response', async (_name, fault) => {
    const { download, server } = await bench(
      serveFile({ bytes, headers: STRONG, fault: onRequest({ 3: fault }) }),
    );
    const result = await download('/f', whole);
    expect(result.metadata).toMatchObject({
      strategy: 'sequential_fallback',
      connections: 1,
      sha256: digest,
    });
    expect(server.requests.at(-1)?.headers['range']).toBeUndefined();
  });

  test('a redirect of a part to another origin means one whole response', async () => {
    const { download } = await bench(async (exchange) => {
      await (exchange.request.index === 2
        ? serveRoutes({ '/f': redirectTo('http://other.test/f') })(exchange)
        : serveFile({ bytes, headers: STRONG })(exchange));
    });
    const result = await download('/f', whole);
    expect(outcomeOf(result)).toBe('ok');
    expect(result.metadata).toMatchObject({ strategy: 'sequential_fallback', sha256: digest });
  });

  test('a server that allows one connection gets one', async () => {
    let active = 0;
    const { download } = await bench(async (exchange) => {
      active += 1;
      const isLimited = active > 1;
      await serveFile({
        bytes,
        headers: STRONG,
        fault: () => (isLimited ? { status: 429, headers: { 'retry-after': '0' } } : undefined),
      })(exchange);
      active -= 1;
    });
    const result = await download('/f', whole);
    expect(outcomeOf(result)).toBe('ok');
    expect(result.metadata).toMatchObject({ sha256: digest });
  });

  test('a part that cannot be had is fetched over one connection, from where the complete part ends', async () => {
    const { download, server } = await bench(
      serveFile({
        bytes,
        headers: STRONG,
        fault: ({ request }) =>
          request.headers['range']?.endsWith(`-${String(8 * MIB - 1)}`) === true
            ? { resetAfter: 0 }
            : undefined,
      }),
    );
    const result = await download('/f', whole);
    expect(outcomeOf(result)).toBe('ok');
    expect(result.metadata).toMatchObject({ strategy: 'sequential_fallback', sha256: digest });
    expect(server.requests.at(-1)?.headers['range']).toMatch(/^bytes=\d+-$/u);
  });
});
