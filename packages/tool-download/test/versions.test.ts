import { describe, expect, test } from 'vitest';
import { serveFile } from '@toolwright/safe-http/testing';
import type { FileFault, HostileExchange } from '@toolwright/safe-http/testing';
import { noise, outcomeOf, sha256, useDownloadBench } from './support/test-session.ts';

const bench = useDownloadBench();
const STRONG = { etag: '"v1"' };
const DIGITS = Buffer.from('0123456789');

/** A fault for the n-th request (0-based) alone; the probe is number 0. */
const onRequest =
  (faults: Readonly<Record<number, FileFault>>) =>
  ({ request }: HostileExchange): FileFault | undefined =>
    faults[request.index];

describe('versions are never mixed', () => {
  const NEWER = Buffer.from('abcdefghij');
  const versions =
    (serves: readonly ('old' | 'new')[], faults: Readonly<Record<number, FileFault>>) =>
    async (exchange: HostileExchange): Promise<void> => {
      const isNew = serves[exchange.request.index] === 'new';
      await serveFile({
        bytes: isNew ? NEWER : DIGITS,
        headers: { etag: isNew ? '"v2"' : '"v1"' },
        fault: onRequest(faults),
      })(exchange);
    };

  test('when servers with different versions answer in turn', async () => {
    const { download, files } = await bench(
      versions(['old', 'old', 'new', 'old'], { 1: { cutAfter: 6 }, 2: { cutAfter: 4 } }),
    );
    expect(outcomeOf(await download('/f'))).toBe('ok');
    expect(await files()).toEqual({ f: '0123456789' });
  });

  test('across calls, when the kept bytes are of another version than the probed one', async () => {
    const cut = { cutAfter: 4 };
    const { download, files } = await bench(
      versions(['old', 'new', 'new', 'new', 'old', 'old'], { 1: cut, 2: cut, 3: cut }),
    );
    const args = { file_path: 'f', resume: true };
    expect(outcomeOf(await download('/f', args))).toBe('transport/connection_lost');
    const again = await download('/f', args);
    expect(again).toMatchObject({ error: null, metadata: { resumed_from: 0 } });
    expect(await files()).toEqual({ f: '0123456789' });
  });

  test('when a server ignores If-Range', async () => {
    for (const connections of [1, 4]) {
      const [old, newer] = [noise(9_000_000, 1), noise(9_000_000, 2)];
      const { download, files } = await bench(async (exchange) => {
        const isNew = exchange.request.index >= 2;
        if (isNew) {
          Reflect.deleteProperty(exchange.request.headers, 'if-range');
        }
        await serveFile({
          bytes: isNew ? newer : old,
          headers: { etag: isNew ? '"v2"' : '"v1"' },
          fault: onRequest({ 1: { cutAfter: 1_000_000 } }),
        })(exchange);
      });
      expect(outcomeOf(await download('/f', { connections }))).toBe('ok');
      expect(sha256(Buffer.from((await files())['f'] ?? '', 'latin1'))).toBe(sha256(newer));
    }
  });

  test('when the newer one has another length', async () => {
    const { download, files } = await bench(async (exchange) => {
      const isNew = exchange.request.index >= 1;
      await serveFile({
        bytes: isNew ? Buffer.from('longer than before') : DIGITS,
        headers: { etag: isNew ? '"v2"' : '"v1"' },
      })(exchange);
    });
    expect(outcomeOf(await download('/f'))).toBe('ok');
    expect(await files()).toEqual({ f: 'longer than before' });
  });

  test('when the rest comes with a coding of its own', async () => {
    const { download, files } = await bench(async (exchange) => {
      const isRest = exchange.request.index === 2;
      await serveFile({
        bytes: isRest ? Buffer.from('0123xxxxxx') : DIGITS,
        headers: { etag: '"v1"', ...(isRest ? { 'content-encoding': 'gzip' } : {}) },
        fault: onRequest({ 1: { cutAfter: 4 } }),
      })(exchange);
    });
    expect(outcomeOf(await download('/f'))).toBe('ok');
    expect(await files()).toEqual({ f: '0123456789' });
  });

  test('a whole answer that is coded is told, whatever the probe had said', async () => {
    const { download } = await bench(
      serveFile({
        bytes: DIGITS,
        headers: STRONG,
        fault: onRequest({ 1: { headers: { 'content-encoding': 'gzip' } } }),
      }),
    );
    expect(await download('/f')).toMatchObject({
      error: null,
      metadata: { content_encoding: 'gzip', bytes: 10 },
    });
  });
});
