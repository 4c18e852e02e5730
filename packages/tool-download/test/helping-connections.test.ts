import { expect, test } from 'vitest';
import { serveFile } from '@toolwright/safe-http/testing';
import type { HostileBehaviour, HostileExchange } from '@toolwright/safe-http/testing';
import { noise, sha256, useDownloadBench } from './support/test-session.ts';

const bench = useDownloadBench();
const SIZE = 20 * 1024 * 1024;

/** Holds back what follows the first answer's beginning until `isReleased` says so. */
function holding(
  bytes: Buffer,
  { sent, isReleased }: { readonly sent: number; readonly isReleased: () => boolean },
): HostileBehaviour {
  const honest = serveFile({ bytes, headers: { etag: '"v1"' } });
  return async (exchange) => {
    const isFirst = exchange.request.index === 1;
    let written = 0;
    await honest({
      ...exchange,
      write: async (piece) => {
        const isBody = typeof piece !== 'string';
        const isHeld = isFirst && isBody && written >= sent;
        written += isBody ? piece.length : 0;
        if (isHeld && !(await released(exchange, isReleased))) {
          return false;
        }
        return exchange.write(piece);
      },
    });
  };
}

async function released({ pause }: HostileExchange, isReleased: () => boolean): Promise<boolean> {
  while (!isReleased()) {
    if (!(await pause(2))) {
      return false;
    }
  }
  return true;
}

test.each([0, 64 * 1024])(
  'a first connection that stops after %d bytes is helped by others, each with a part of the rest',
  { timeout: 30_000 },
  async (sent) => {
    const bytes = noise(SIZE);
    let isReleased = (): boolean => false;
    const { download, files, server } = await bench(
      holding(bytes, { sent, isReleased: () => isReleased() }),
    );
    isReleased = () => server.requests.length >= 4;
    const result = await download('/big.bin', { expected_sha256: sha256(bytes) });
    expect(result.metadata).toMatchObject({
      strategy: 'parallel_range',
      connections: 4,
      sha256: sha256(bytes),
    });
    expect(sha256(Buffer.from((await files())['big.bin'] ?? '', 'latin1'))).toBe(sha256(bytes));
    const [whole, ...others] = server.requests.slice(1).map(({ headers }) => headers['range']);
    expect(whole).toBe(`bytes=0-${String(SIZE - 1)}`);
    expect(others.length).toBeGreaterThanOrEqual(2);
    expect(others).not.toContain(whole);
    // The rest is handed out from behind the first connection's own part on, which is 16 MiB.
    const first = /^bytes=(\d+)-/u.exec(others[0] ?? '')?.[1];
    expect(Number(first)).toBeGreaterThanOrEqual(16 * 1024 * 1024);
    expect(Number(first)).toBeLessThanOrEqual(16 * 1024 * 1024 + sent);
  },
);
