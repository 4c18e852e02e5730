import { describe, expect, test } from 'vitest';
import {
  redirectTo,
  responseHead,
  sendPlain,
  serveFile,
  serveRoutes,
} from '@toolwright/safe-http/testing';
import { noise, outcomeOf, sha256, useDownloadBench } from './support/test-session.ts';

const bench = useDownloadBench();
const MIB = 1024 * 1024;
const STRONG = { etag: '"v1"' };

describe('a file', () => {
  test('arrives byte for byte, with its facts', async () => {
    const bytes = noise(100_000);
    const { download, files, server } = await bench(
      serveFile({ bytes, headers: { ...STRONG, 'content-type': 'application/x-thing' } }),
    );
    const result = await download('/dir/a%20b.bin?signature=secret', {
      expected_sha256: sha256(bytes).toUpperCase(),
    });
    expect(result.error).toBeNull();
    expect(await files()).toEqual({ 'a b.bin': bytes.toString('latin1') });
    expect(result.metadata).toMatchObject({
      file_path: 'a b.bin',
      bytes: 100_000,
      content_type: 'application/x-thing',
      strategy: 'sequential',
      connections: 1,
      range_supported: true,
      overwritten: false,
      resumed_from: 0,
      source_anchors: ['http://files.test/dir/a%20b.bin'],
      sha256: sha256(bytes),
    });
    expect(JSON.stringify(result)).not.toContain('secret');
    expect(result.trust).toBe('external');
    expect(
      server.requests.map(({ headers }) => [
        headers['accept'],
        headers['accept-encoding'],
        headers['range'],
      ]),
    ).toEqual([
      ['*/*', 'identity', 'bytes=0-0'],
      ['*/*', 'identity', undefined],
    ]);
  });

  test('goes where it is told, into new directories', async () => {
    const { download, files } = await bench(serveFile({ bytes: Buffer.from('abc') }));
    const result = await download('/x', { file_path: 'a/b/c.txt' });
    expect(outcomeOf(result)).toBe('ok');
    expect(await files()).toEqual({ 'a/b/c.txt': 'abc' });
    expect(result.metadata).not.toHaveProperty('sha256');
  });

  test('behind redirects keeps both anchors and takes its name from the last', async () => {
    const { download, files } = await bench(
      serveRoutes({
        '/get': redirectTo('/real.zip?token=t'),
        '/real.zip': serveFile({ bytes: Buffer.from('zip') }),
      }),
    );
    const result = await download('/get');
    expect(result.metadata['source_anchors']).toEqual([
      'http://files.test/get',
      'http://files.test/real.zip',
    ]);
    expect(await files()).toEqual({ 'real.zip': 'zip' });
  });

  test('named by the server cannot leave the root', async () => {
    const { download, files } = await bench(
      serveFile({
        bytes: Buffer.from('x'),
        headers: { 'content-disposition': 'attachment; filename="../../../etc/cron.d/evil"' },
      }),
    );
    const result = await download('/x');
    expect(result.metadata['file_path']).toBe('evil');
    expect(await files()).toEqual({ evil: 'x' });
  });

  test('larger than a few MiB comes in parts with If-Range, exactly', async () => {
    const bytes = noise(9 * MIB);
    const { download, files, server } = await bench(serveFile({ bytes, headers: STRONG }));
    const result = await download('/big.bin', { connections: 4, expected_sha256: sha256(bytes) });
    expect(result.metadata).toMatchObject({
      strategy: 'parallel_range',
      connections: 4,
      bytes: bytes.length,
      sha256: sha256(bytes),
    });
    expect(sha256(Buffer.from((await files())['big.bin'] ?? '', 'latin1'))).toBe(sha256(bytes));
    const parts = server.requests.slice(1);
    expect(parts.length).toBe(4);
    expect(new Set(parts.map(({ headers }) => headers['if-range']))).toEqual(new Set(['"v1"']));
    expect(new Set(parts.map(({ headers }) => headers['accept-encoding']))).toEqual(
      new Set(['identity']),
    );
  });

  test('without a validator comes in exactly two requests', async () => {
    const bytes = noise(9 * MIB);
    const { download, server } = await bench(serveFile({ bytes }));
    const result = await download('/big.bin', { connections: 4 });
    expect(result.metadata).toMatchObject({
      strategy: 'sequential',
      connections: 1,
      range_supported: true,
    });
    expect(server.requests.length).toBe(2);
  });

  test('of a server without ranges comes from the probe itself', async () => {
    const { download, files, server } = await bench(async (exchange) =>
      sendPlain(exchange, { body: 'whole' }),
    );
    const result = await download('/f');
    expect(result.metadata).toMatchObject({
      strategy: 'sequential',
      range_supported: false,
      bytes: 5,
    });
    expect(server.requests.length).toBe(1);
    expect(await files()).toEqual({ f: 'whole' });
  });

  test.each([400, 403, 405, 501])(
    'of a server that answers a range with %d is asked for whole',
    async (status) => {
      const { download, files } = await bench(
        serveFile({
          bytes: Buffer.from('abc'),
          fault: ({ request }) => (request.headers['range'] === undefined ? undefined : { status }),
        }),
      );
      expect(outcomeOf(await download('/f'))).toBe('ok');
      expect(await files()).toEqual({ f: 'abc' });
    },
  );
});

describe('refusals', () => {
  test('a private address is refused before anything happens', async () => {
    const { session, files, server } = await bench(serveFile({ bytes: Buffer.from('abc') }));
    const result = await session.tool('download', {
      url: `http://${server.endpoint}/x`,
      file_path: 'x',
    });
    expect(outcomeOf(result)).toBe('permission_denied/address_refused');
    expect(server.connections).toBe(0);
    expect(await files()).toEqual({});
  });

  test.each([
    ['http://user:pw@files.test/x', 'invalid_argument/userinfo'],
    ['not a url', 'invalid_argument/bad_url'],
    ['ftp://files.test/x', 'permission_denied/address_refused'],
  ])('%s', async (url, expected) => {
    const { session, server } = await bench(serveFile({ bytes: Buffer.from('abc') }));
    expect(outcomeOf(await session.tool('download', { url }))).toBe(expected);
    expect(server.connections).toBe(0);
  });

  test.each([
    ['../x', 'permission_denied/outside_workspace'],
    ['/etc/x', 'permission_denied/outside_workspace'],
    ['.env', 'permission_denied/credential'],
  ])('the target %s is refused before anything is fetched', async (path, expected) => {
    const { download, server } = await bench(serveFile({ bytes: Buffer.from('abc') }));
    expect(outcomeOf(await download('/x', { file_path: path, overwrite: true }))).toBe(expected);
    expect(server.connections).toBe(0);
  });

  test.each([
    [404, {}, 'not_found/http_status'],
    [410, {}, 'not_found/http_status'],
    [401, {}, 'transport/http_status'],
    [500, {}, 'transport/http_status'],
    [429, { 'retry-after': '0' }, 'rate_limited/http_status'],
    [503, { 'retry-after': '0' }, 'rate_limited/http_status'],
    [503, {}, 'transport/http_status'],
    [204, {}, 'transport/no_content'],
  ])('status %d', async (status, headers, expected) => {
    const { download, files } = await bench(
      serveFile({ bytes: Buffer.from('abc'), fault: () => ({ status, headers }) }),
    );
    const result = await download('/x');
    expect(outcomeOf(result)).toBe(expected);
    expect(result.error?.['status']).toBe(status);
    expect(await files()).toEqual({});
  });

  test('a part that nobody asked for breaks the protocol', async () => {
    const { download, server, files } = await bench(async (exchange) =>
      sendPlain(exchange, {
        status: 206,
        body: exchange.request.headers['range'] === undefined ? 'abcdef' : 'a',
        headers: { etag: '"v1"', 'content-range': 'bytes 0-0/5000000' },
      }),
    );
    expect(outcomeOf(await download('/x'))).toBe('transport/protocol');
    expect(server.requests.length).toBeLessThanOrEqual(8);
    expect(await files()).toEqual({});
  });

  test('Retry-After is told, and the attempts are finite', async () => {
    const { download, server } = await bench(
      serveFile({
        bytes: Buffer.from('abc'),
        fault: () => ({ status: 429, headers: { 'retry-after': 'Wed, 01 Jan 2020 00:00:00 GMT' } }),
      }),
    );
    const result = await download('/x');
    expect(result.error).toMatchObject({
      type: 'rate_limited',
      retry_after_ms: 0,
      retryable: true,
    });
    expect(server.requests.length).toBe(3);
  });
});

test('DOWN-008: a file with a coding nobody asked for is stored as it came, and that is told', async () => {
  const body = Buffer.from('1f8b0800000000000003', 'hex');
  const { download, files } = await bench(async (exchange) =>
    sendPlain(exchange, { body, headers: { 'content-encoding': 'gzip', etag: '"v1"' } }),
  );
  const result = await download('/f.txt');
  expect(outcomeOf(result)).toBe('ok');
  expect(await files()).toEqual({ 'f.txt': body.toString('latin1') });
  expect(result.metadata['content_encoding']).toBe('gzip');
});

test('DOWN-011: a body without any length is taken until the end, and told as not verifiable', async () => {
  const { download, files } = await bench(async (exchange) => {
    await exchange.write(`${responseHead(200, { connection: 'close' })}[1,2,3]`);
    await exchange.pause(30);
    exchange.end();
  });
  const result = await download('/f.json');
  expect(outcomeOf(result)).toBe('ok');
  expect(await files()).toEqual({ 'f.json': '[1,2,3]' });
  expect(result.output).toContain('could not be verified');
});

describe('DOWN-014: an empty file', () => {
  const empty = sha256('');
  test.each([
    ['by 416', serveFile({ bytes: Buffer.alloc(0) })],
    ['by 200', serveFile({ bytes: Buffer.alloc(0), fault: () => ({ ignoreRange: true }) })],
  ])('%s', async (_name, behaviour) => {
    const { download, files, server } = await bench(behaviour);
    const result = await download('/empty', { expected_sha256: empty, resume: true });
    expect(result.metadata).toMatchObject({ bytes: 0, sha256: empty });
    expect(await files()).toEqual({ empty: '' });
    expect(server.requests.map(({ headers }) => headers['range'])).not.toContain('bytes=0-');
  });
});

describe('DOWN-018: an existing target', () => {
  test('is refused before a byte is asked for', async () => {
    const { download, files, server } = await bench(serveFile({ bytes: Buffer.from('new') }), {
      files: { f: 'old' },
    });
    expect(outcomeOf(await download('/f', { file_path: 'f' }))).toBe(
      'invalid_argument/already_exists',
    );
    expect(server.requests.length).toBe(0);
    expect(outcomeOf(await download('/f'))).toBe('invalid_argument/already_exists');
    expect(await files()).toEqual({ f: 'old' });
  });

  test('is replaced when told, and survives a failure half-way', async () => {
    let isBroken = true;
    const { download, files } = await bench(
      serveFile({
        bytes: Buffer.from('new content'),
        fault: () => (isBroken ? { resetAfter: 4, ignoreRange: true } : undefined),
      }),
      { files: { f: 'old' } },
    );
    expect(outcomeOf(await download('/f', { overwrite: true }))).toBe('transport/connection_lost');
    expect(await files()).toEqual({ f: 'old' });
    isBroken = false;
    const result = await download('/f', { overwrite: true });
    expect(result.metadata['overwritten']).toBe(true);
    expect(await files()).toEqual({ f: 'new content' });
  });

  test('that appears meanwhile is not overwritten', async () => {
    const bytes = Buffer.from('new');
    const appearing: { put?: () => Promise<void> } = {};
    const { download, files, workspace } = await bench(async (exchange) => {
      if (exchange.request.headers['range'] === undefined) {
        await appearing.put?.();
      }
      await serveFile({ bytes })(exchange);
    });
    appearing.put = async () => {
      const transaction = await workspace.writer?.begin();
      await transaction?.stage({
        kind: 'write',
        path: 'f',
        content: Buffer.from('other'),
        expected: { kind: 'any' },
      });
      await transaction?.promoteAll();
    };
    expect(outcomeOf(await download('/f'))).toBe('invalid_argument/already_exists');
    expect(await files()).toEqual({ f: 'other' });
  });
});

test('DOWN-019: a wrong digest leaves nothing, and poisons nothing', async () => {
  let body = 'abd';
  const { download, files, server } = await bench(async (exchange) =>
    serveFile({ bytes: Buffer.from(body), headers: STRONG })(exchange),
  );
  const args = { expected_sha256: sha256('abc'), resume: true };
  const result = await download('/f', args);
  expect(outcomeOf(result)).toBe('transport/integrity');
  expect(result.error).toMatchObject({ expected: sha256('abc'), actual: sha256('abd') });
  expect(await files()).toEqual({});
  const before = server.requests.length;
  body = 'abc';
  expect(outcomeOf(await download('/f', args))).toBe('ok');
  expect(server.requests.slice(before).map(({ headers }) => headers['range'])).toEqual([
    'bytes=0-0',
    undefined,
  ]);
});

test('DOWN-023: of two downloads to one target one wins, whole', async () => {
  const bytes = noise(MIB);
  const { download, files } = await bench(serveFile({ bytes, headers: STRONG }));
  const results = await Promise.all([
    download('/f', { file_path: 't' }),
    download('/f', { file_path: 't' }),
  ]);
  expect(results.map(outcomeOf).toSorted()).toEqual(['invalid_argument/already_exists', 'ok']);
  expect(sha256(Buffer.from((await files())['t'] ?? '', 'latin1'))).toBe(sha256(bytes));
});

describe('DOWN-024: the size cap', () => {
  const max = { max_bytes: MIB };
  test.each([
    [
      'chunked and endless',
      { chunked: true, ignoreRange: true },
      4 * MIB,
      'limit_exceeded/body_too_large',
    ],
    [
      'declared too large',
      { ignoreRange: true, resetAfter: 0 },
      50 * MIB,
      'limit_exceeded/body_too_large',
    ],
    ['ranged and too large', {}, 2 * MIB, 'limit_exceeded/body_too_large'],
    ['exactly the cap', {}, MIB, 'ok'],
    ['exactly the cap, chunked', { chunked: true, ignoreRange: true }, MIB, 'ok'],
    [
      'one byte more, chunked',
      { chunked: true, ignoreRange: true },
      MIB + 1,
      'limit_exceeded/body_too_large',
    ],
  ])('%s', async (...row) => {
    const [, fault, size, expected] = row;
    const { download, files } = await bench(
      serveFile({ bytes: Buffer.alloc(size, 'x'), fault: () => fault }),
    );
    expect(outcomeOf(await download('/f', max))).toBe(expected);
    expect(Object.keys(await files())).toEqual(expected === 'ok' ? ['f'] : []);
  });

  test('a body longer than its declared length is not taken beyond it', async () => {
    const { download, files } = await bench(
      serveFile({
        bytes: Buffer.alloc(100_000, 'x'),
        fault: () => ({ ignoreRange: true, contentLength: '10' }),
      }),
    );
    const result = await download('/f', max);
    expect(['ok', 'transport/protocol']).toContain(outcomeOf(result));
    expect(await files()).toEqual(outcomeOf(result) === 'ok' ? { f: 'x'.repeat(10) } : {});
  });
});

test('progress tells bytes, total, rate and what remains', async () => {
  const bytes = noise(300_000);
  const { download, session } = await bench(serveFile({ bytes, headers: STRONG }));
  const events = session.events();
  await download('/f');
  const progress: unknown[] = [];
  for await (const event of events) {
    if (event.type === 'tool_progress') {
      progress.push(event);
    }
    if (event.type === 'tool_end') {
      break;
    }
  }
  expect(progress.at(-1)).toMatchObject({
    name: 'download',
    current: 300_000,
    total: 300_000,
    data: { bytes_per_second: expect.any(Number), remaining_ms: 0 },
  });
});

test('the tool is absent without a real directory or without a network', async () => {
  const { createHost, memoryWorkspace } = await import('@toolwright/core');
  const { download } = await import('../src/index.ts');
  const session = await createHost({ providers: [download()] }).open({
    workspace: memoryWorkspace(),
  });
  expect(session.surface()).toMatchObject([{ name: 'download', state: 'absent' }]);
  await session.close();
});
